"""Sizes in functions that the traced function calls: which are read at run time, and how they are found again."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from tests.unit.fix.written_case import FILE, case_for
from tests.unit.handmade import tensor
from traceonce.facts.signature import Shape
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.frameworks.tensorflow.dynamic_shapes.called_functions import (
    Called,
    called_at,
    find_called,
    reads_a_shape,
)
from traceonce.frameworks.tensorflow.dynamic_shapes.edit import write_plan
from traceonce.frameworks.tensorflow.dynamic_shapes.extension import along
from traceonce.frameworks.tensorflow.dynamic_shapes.plan_called import plan_called_sizes
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import Reach
from traceonce.frameworks.tensorflow.recipes import input_signature, reduce_retracing
from traceonce.frameworks.tensorflow.words import SIZES_READ_AT_RUN_TIME, SIZES_READ_AT_RUN_TIME_ALSO_IN
from traceonce.words.notes import english_note

HEAD = "import tensorflow as tf\n\n\n"


def rewritten(
    body: str, *, head: str = "def helper(x, y):", reach: Reach | None = None, shape: Shape = (2, None)
) -> str:
    """The body of a helper that is called under a signature of that shape."""
    source = f"{HEAD}{head}\n{textwrap.indent(body, '    ')}"
    edits = Edits({FILE: source.encode()})
    module = edits.module(FILE)
    function = find_called(module, Called(FILE, "helper"))
    assert function is not None
    plan = plan_called_sizes(module, function, {"tokens": shape}, reach or Reach())
    write_plan(edits, module, plan, "float32")
    after = edits.results().get(FILE, source.encode()).decode()
    return textwrap.dedent(after.removeprefix(f"{HEAD}{head}\n"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return tf.range(x.shape[1])\n", "return tf.range(tf.shape(x)[1])\n"),
        ("return x.get_shape()[1]\n", "return tf.shape(x)[1]\n"),
        ("h = x + y\nreturn h.shape[1]\n", "h = x + y\nreturn tf.shape(h)[1]\n"),
        ("return x.shape[-2]\n", "return tf.shape(x)[-2]\n"),  # an embedding adds a dimension behind
        ("return x.tokens.shape[1]\n", "return tf.shape(x.tokens)[1]\n"),
        ('return x["ids"].shape[1]\n', 'return tf.shape(x["ids"])[1]\n'),
        ("return y / x.shape[1]\n", "return y / tf.cast(tf.shape(x)[1], tf.float32)\n"),
        ("return tf.zeros(x.shape)\n", "return tf.zeros(tf.shape(x))\n"),
        ("s = x.shape\nreturn s[1] * s[-1]\n", "s = x.shape\nreturn tf.shape(x)[1] * s[-1]\n"),
        ("b, t, d = x.shape\nreturn t\n", "b, t, d = x.shape[0], tf.shape(x)[1], x.shape[2]\nreturn t\n"),
        ("b, t = x.shape\nreturn t\n", "b, t = x.shape[0], tf.shape(x)[1]\nreturn t\n"),  # as many as are given
    ],
)
def test_sizes_along_the_open_dimensions_are_read_at_run_time(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize(
    "body",
    [
        "return x.shape[-1]\n",  # a width, mostly
        "return x.shape[0]\n",
        "return len(x)\n",
        "return self.table.shape[1]\n",
        "return TABLE.shape[1]\n",
        "assert x.shape[1] == 3\nreturn x\n",
        "if x.shape[1] > 9:\n    raise ValueError(x)\nreturn x\n",
        "return Dense(x.shape[1])(x)\n",
        "return self.add_weight(shape=(x.shape[1], 4))\n",
        "return math.sqrt(x.shape[1])\n",
        "print(x.shape[1])\nreturn x\n",
    ],
)
def test_what_is_static_or_for_python_is_left_alone(body: str) -> None:
    assert rewritten(body, head="def helper(self, x, y):") == body


def test_the_reach_goes_to_the_last_size_and_then_to_every_size() -> None:
    body = "return x.shape[0] + x.shape[-1]\n"
    assert rewritten(body, reach=Reach(last=True)) == "return x.shape[0] + tf.shape(x)[-1]\n"
    assert rewritten(body, reach=Reach(everywhere=True)) == "return tf.shape(x)[0] + tf.shape(x)[-1]\n"


NAMED = """\
import tensorflow as tf

scale = lambda x: x / x.shape[0]
shift = lambda x: x - x.shape[0]


class Layer:
    def call(self, x):
        def inner(y):
            return y.shape[0]

        return inner(x)


class Other(Layer):
    def call(self, x):
        return x.shape[0]


def plain(x):
    return x
"""


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        (3, "<lambda>", Called(FILE, "<lambda>", 0)),
        (4, "<lambda>", Called(FILE, "<lambda>", 1)),
        (10, "inner", Called(FILE, "Layer.call.<locals>.inner")),
        (12, "call", Called(FILE, "Layer.call")),
        (17, "call", Called(FILE, "Other.call")),
        (3, "<module>", None),
        (3, "call", None),
    ],
)
def test_a_line_of_a_traceback_names_a_function(line: int, name: str, expected: Called | None) -> None:
    assert called_at(Module(FILE, NAMED.encode()), line, name) == expected


def test_the_function_is_found_where_the_file_has_other_lines() -> None:
    seen = Module(FILE, f"# a longer\n# file\n{NAMED}".encode())
    written = Module(FILE, NAMED.encode())
    called = called_at(seen, 19, "call")
    assert called is not None
    found = find_called(written, called)
    assert found is not None
    assert written.line(found) == 16
    assert find_called(written, Called(FILE, "Other.call", 1)) is None


def test_what_only_passes_on_reads_no_shape() -> None:
    module = Module(FILE, NAMED.encode())
    assert reads_a_shape(module, Called(FILE, "Other.call"))
    assert not reads_a_shape(module, Called(FILE, "plain"))


OTHER = "other.py"
PROGRAM = f"""\
{HEAD}from other import rows


def steps(x):
    return tf.range(x.shape[0])


@tf.function
def f(x):
    def nested(y):
        return y.shape[0]

    return rows(x) + steps(x) + nested(x) + x.shape[0]


f(1)
"""
FILES = {FILE: PROGRAM, OTHER: "def rows(x):\n    return x.shape[0]\n"}
STEPS, ROWS, NESTED = Called(FILE, "steps"), Called(OTHER, "rows"), Called(FILE, "f.<locals>.nested")


def case() -> Case:
    return case_for(PROGRAM, "f", ("shape", "x.shape[0]"), leaves=[(tensor("x", size),) for size in (2, 3, 4)])


def write(candidate: Candidate | None) -> dict[str, str]:
    assert candidate is not None
    assert candidate.change is not None
    edits = Edits({name: source.encode() for name, source in FILES.items()})
    candidate.change(edits)
    return {name: data.decode() for name, data in edits.results().items()}


@pytest.mark.parametrize("propose", [input_signature.propose, reduce_retracing.propose])
@pytest.mark.parametrize("number", [0, 1])
def test_the_functions_and_the_traced_one_are_changed_together(
    propose: Callable[[Case], list[Candidate]], number: int
) -> None:
    """After the plain repair as well as after the one that has changed the body already."""
    candidate = list(propose(case()))[number]
    following = along(case(), candidate, [STEPS, ROWS, NESTED], Reach())
    assert following is not None
    assert following.recipe == f"{candidate.recipe.partition('+')[0]}+dynamic_shape"
    assert following.safety == "review"
    assert following.notes[-1] == SIZES_READ_AT_RUN_TIME_ALSO_IN(functions=["steps", "rows", "nested"])
    assert (english_note(following.notes) or "").endswith("at run time, in steps, rows and nested too.")
    assert SIZES_READ_AT_RUN_TIME() not in following.notes
    after = write(following)
    assert after[OTHER] == "import tensorflow as tf\n\n\ndef rows(x):\n    return tf.shape(x)[0]\n"
    assert "return tf.range(tf.shape(x)[0])" in after[FILE]
    assert "return tf.shape(y)[0]" in after[FILE]
    assert "+ nested(x) + tf.shape(x)[0]" in after[FILE]


def test_a_wider_signature_can_still_be_offered() -> None:
    candidate = next(iter(input_signature.propose(case())))
    following = along(case(), candidate, [STEPS], Reach())
    assert following is not None
    assert isinstance(following.change, input_signature.Signing)


def test_a_repair_without_open_dimensions_has_nothing_to_follow() -> None:
    alike = case_for(PROGRAM, "f", ("value", "x"), leaves=[(tensor("x", 2),)] * 2)
    signing = next(iter(input_signature.propose(alike)))
    assert along(alike, signing, [STEPS], Reach()) is None
    assert along(case(), Candidate("hoist", "safe", (), change=lambda edits: None), [STEPS], Reach()) is None


def test_functions_without_sizes_are_declined() -> None:
    candidate = next(iter(input_signature.propose(case())))
    with pytest.raises(Declined, match="read no size"):
        write(along(case(), candidate, [NESTED, Called(FILE, "gone")], Reach()))
