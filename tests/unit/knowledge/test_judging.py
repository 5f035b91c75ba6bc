"""The rules by which a trial bears its claim out, each with the measurement that decides it."""

from __future__ import annotations

from typing import Any

import pytest

from traceonce.knowledge.experiment import Trial
from traceonce.knowledge.measurement import Failed, SeenCause, SeenFunction, TrialMeasurement, alike
from traceonce.knowledge.symptom import Breaks, Grows, Logs, Raises, Recompiles, Retraces, Symptom, Wrong
from traceonce.knowledge.trial_judgement import judge

FAILURE, WORKAROUND, DEAD_END = (Trial(f"{role}_x", role, "") for role in ("failure", "workaround", "dead_end"))


def seen(traces: int = 1, **fields: Any) -> TrialMeasurement:
    causes = (SeenCause(code="shape", path="x.shape[0]"),)
    function = SeenFunction(name="failure.<locals>.train_step", traces=traces, verdict="ok", causes=causes)
    return TrialMeasurement(**{"outputs": [1.0], "functions": (function,) if traces else (), **fields})


def broken(breaks: int, name: str = "step") -> SeenFunction:
    return SeenFunction(name=name, traces=1, verdict="ok", graph_breaks=breaks)


def error(*types: str, message: str = "it is wrong") -> Failed:
    return Failed(types=types, message=message, traceback="")


SHOWN: list[tuple[Symptom, TrialMeasurement]] = [
    (Retraces(traces=5, cause="shape"), seen(5)),
    (Retraces(traces=5, cause="shape", path="x.shape[0]", function="train_step"), seen(5)),
    (Raises(type="ValueError", text="is wr.ng"), seen(0, error=error("MyError", "ValueError", "Exception"))),
    (Logs(text=r"\d+ calls"), seen(log="after 5 calls")),
    (Wrong(), seen(outputs=[2.0])),
    (Recompiles(compilations=4), seen(compilations=4)),
    (Grows(mib=10, cured=5), seen(grown_mib=11)),
    (Breaks(breaks=2), seen(functions=(broken(2),))),
    (Breaks(breaks=2, function="step"), seen(functions=(broken(2), broken(1, "other")))),
]
GONE: list[tuple[Symptom, TrialMeasurement]] = [
    (Retraces(traces=5, cause="shape"), seen(1)),
    (Retraces(traces=5, cause="shape", cured=2), seen(2)),
    (Raises(type="ValueError", text="wrong"), seen()),
    (Logs(text="calls"), seen(log="nothing")),
    (Wrong(), seen()),
    (Recompiles(compilations=4), seen(compilations=1)),
    (Grows(mib=10, cured=5), seen(grown_mib=4)),
    (Breaks(breaks=2), seen()),
    (Breaks(breaks=2, function="step"), seen(functions=(broken(0), broken(1, "other")))),
]


@pytest.mark.parametrize(("symptom", "measurement"), SHOWN)
def test_the_symptom_is_there(symptom: Symptom, measurement: TrialMeasurement) -> None:
    compared = measurement.compared_with([1.0])
    assert judge(FAILURE, symptom, compared).held
    assert not judge(WORKAROUND, symptom, compared).held
    assert judge(DEAD_END, symptom, compared).held


@pytest.mark.parametrize(("symptom", "measurement"), GONE)
def test_the_symptom_is_gone(symptom: Symptom, measurement: TrialMeasurement) -> None:
    compared = measurement.compared_with([1.0])
    assert not judge(FAILURE, symptom, compared).held
    assert judge(WORKAROUND, symptom, compared).held
    assert not judge(DEAD_END, symptom, compared).held


@pytest.mark.parametrize(
    ("symptom", "measurement"),
    [
        (Retraces(traces=5, cause="shape"), seen(4)),
        (Retraces(traces=5, cause="dtype"), seen(5)),
        (Retraces(traces=5, cause="shape", path="y.shape[0]"), seen(5)),
        (Retraces(traces=5, cause="shape", function="step"), seen(5)),
        (Raises(type="TypeError", text="wrong"), seen(0, error=error("ValueError"))),
        (Raises(type="ValueError", text="right"), seen(0, error=error("ValueError"))),
        (Wrong(), seen(0, error=error("ValueError"))),
    ],
)
def test_something_else_is_not_the_symptom(symptom: Symptom, measurement: TrialMeasurement) -> None:
    assert not judge(FAILURE, symptom, measurement.compared_with([1.0])).held


RETRACES = Retraces(traces=5, cause="shape")


@pytest.mark.parametrize(
    ("measurement", "outcome"),
    [
        (seen(1, outputs=[9.0]), "other outputs"),
        (seen(0), "nothing is compiled: no trace is left"),
        (seen(1, outputs=None, error=error("TypeError", message="no\nmore")), "TypeError: no"),
        (seen(5), "5 traces"),
        (seen(1, broken="it hung"), "it hung"),
        (
            seen(0, error=error("NameError", message="x is not defined")),
            "the trial itself is broken: NameError: x is not defined",
        ),
        (
            seen(
                0,
                error=error("ValueError", message="in user code:\n\n  File x\n\n    TypeError: told\n    on two lines"),
            ),
            "TypeError: told",
        ),
    ],
)
def test_what_is_no_cure(measurement: TrialMeasurement, outcome: str) -> None:
    compared = measurement.compared_with([1.0])
    judged = judge(WORKAROUND, RETRACES, compared)
    assert (judged.held, judged.outcome) == (False, outcome)


@pytest.mark.parametrize(
    "fields",
    [{"broken": "it hung"}, {"error": error("ModuleNotFoundError", "ImportError")}, {"error": error("NameError")}],
)
def test_a_broken_dead_end_shows_nothing(fields: dict[str, Any]) -> None:
    assert not judge(DEAD_END, RETRACES, seen(1, **fields).compared_with([1.0])).held


def test_without_outputs_nothing_is_cured() -> None:
    nothing = seen(1, outputs=None).compared_with(None)
    judged = judge(WORKAROUND, RETRACES, nothing)
    assert (judged.held, judged.outcome) == (False, "no outputs to compare")
    assert judge(FAILURE, RETRACES, seen(5, outputs=None).compared_with(None)).held


def test_a_cure_that_may_leave_the_graph() -> None:
    eagerly = Trial("workaround_x", "workaround", "", eager=True)
    assert judge(eagerly, RETRACES, seen(0).compared_with([1.0])).held


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1.0, [2]], [1.0000001, [2.0]], True),
        ([1.0], [1.01], False),
        ([1.0], [1.0, 1.0], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ("x", "x", True),
        ("1", 1, False),
        (None, [], False),
        (True, "True", False),
    ],
)
def test_outputs_that_are_alike(one: object, other: object, same: bool) -> None:
    assert alike(one, other) is same
    assert alike(other, one) is same
