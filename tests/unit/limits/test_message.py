"""What a program is told when a limit is reached, word for word: logs are searched for it."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import pytest

from tests.unit.handmade import STEP, cause
from traceonce.causes.cause_text import say_remedy
from traceonce.causes.definition import Happened
from traceonce.errors import TraceonceError, TracingLimitReached
from traceonce.facts import Breach, CallSite, CauseCode, FunctionId, Limit
from traceonce.limits.message import describe_breach

FIRST_LINE = (
    "The function 'train_step' has been retraced 1000 times. The tracing limit has been reached. "
    "This may be caused by passing Python literals or tensors with changing shapes."
)


def breach(**fields: Any) -> Breach:
    given: dict[str, Any] = {
        "backend": "tensorflow",
        "function": STEP,
        "limit": Limit(),
        "retraces": 1000,
        "traces": 1001,
        "causes": (cause(CauseCode.VALUE, "step", was="999", now="1000", type_name="int"),),
        "call_site": CallSite("train.py", 47),
        **fields,
    }
    return Breach(**given)


def test_the_whole_message() -> None:
    assert describe_breach(breach()).splitlines() == [
        FIRST_LINE,
        "  limit      1,000 retraces; this call would exceed it",
        "  function   train_step, train.py:22",
        "  called at  train.py:47",
        "  cause      step: now 1000, before 999 (a Python int)",
        "  change     pass a tensor, unless the function needs the Python value",
    ]
    assert re.match("The function.*has been retraced.*times.*tracing limit", describe_breach(breach()))


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Gpt.train_step", "train_step"),
        ("main.<locals>.train_step", "train_step"),
        ("parse [dataset]", "parse"),
        ("main.<locals>.<lambda>", "<lambda>"),
    ],
)
def test_the_first_line_has_the_short_name_and_the_true_count(name: str, short: str) -> None:
    first, *_ = describe_breach(breach(function=FunctionId(name, "a.py", 3), retraces=7)).splitlines()
    assert first.startswith(f"The function '{short}' has been retraced 7 times. The tracing limit has been reached. ")


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (Limit(1), "1 retrace"),
        (Limit(0), "0 retraces"),
        (Limit(1, "traces"), "1 trace"),
        (Limit(3, "traces", warmup=1), "3 traces after a warm-up of 1 call"),
        (Limit(0, "traces", warmup=2000), "0 traces after a warm-up of 2,000 calls"),
    ],
)
def test_the_limit_in_words(limit: Limit, text: str) -> None:
    assert f"  limit      {text}; this call would exceed it" in describe_breach(breach(limit=limit)).splitlines()


def test_a_function_of_a_library_called_through_another() -> None:
    text = describe_breach(
        breach(
            function=FunctionId("Trainer.step", "/usr/lib/python3/site-packages/keras/trainer.py", 5, library=True),
            call_site=CallSite("train.py", 9, via="/usr/lib/python3/site-packages/keras/fit.py:77"),
            causes=(cause(CauseCode.NEW_FUNCTION, "step", was="function object 1", now="function object 2"),),
        )
    )
    assert text.splitlines()[2:] == [
        "  function   Trainer.step, keras/trainer.py:5",
        "  called at  train.py:9 through keras/fit.py:77",
        "  cause      step: now function object 2, before function object 1 "
        "(the same code, wrapped in tf.function again)",
        "  change     each model retraces its steps: keep one, and restore its variables and its optimizer's",
    ]


def test_what_is_not_known_is_left_out_or_said() -> None:
    text = describe_breach(breach(function=FunctionId("step"), call_site=None, causes=()))
    assert text.splitlines()[2:] == ["  function   step, no source", "  called at  a place without a source"]
    text = describe_breach(breach(causes=(cause(CauseCode.UNKNOWN, "step", was="", now="traced all the same"),)))
    assert "  cause      step: now traced all the same (the cause is not known)" in text.splitlines()


def test_each_cause_is_named_and_each_remedy_once() -> None:
    causes = (
        cause(CauseCode.SHAPE, "x.shape[0]", was="12", now="9"),
        cause(CauseCode.SHAPE, "x.shape[1]", was="3", now="4"),
        cause(CauseCode.COLLECTED, "config", was="Config object", now="Config object", type_name="Config"),
    )
    assert describe_breach(breach(causes=causes)).splitlines()[4:] == [
        "  cause      x.shape[0]: now 9, before 12 (varies)",
        "  cause      x.shape[1]: now 4, before 3 (varies)",
        "  cause      config: now Config object, before Config object (a Config object; the earlier one is gone)",
        "  change     give the dimension as None in an input_signature, or set reduce_retracing=True",
        "  change     keep one object alive and pass it in every call",
    ]


def test_what_is_set_already_is_not_advised() -> None:
    lines = describe_breach(breach(causes=(cause(),), reduce_retracing=True)).splitlines()
    assert lines[5] == "  change     give the dimension as None in an input_signature"


@pytest.mark.parametrize("code", list(CauseCode))
def test_every_cause_has_its_words(code: CauseCode) -> None:
    one = cause(code, "x")
    lines = describe_breach(breach(causes=(one,))).splitlines()
    assert lines[4].startswith("  cause      x: now 2, before 1 (")
    assert lines[5] == f"  change     {say_remedy(Happened(one, 'tensorflow', STEP), 'en')}"


@pytest.mark.parametrize("carry", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_the_error_without_a_framework_can_be_carried(carry: Any) -> None:
    error = TracingLimitReached(describe_breach(breach()), breach())
    again = carry(error)
    assert isinstance(again, TraceonceError)
    assert (str(again), again.breach) == (describe_breach(breach()), breach())
