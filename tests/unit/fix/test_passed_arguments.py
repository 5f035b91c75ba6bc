"""What a call gives for a parameter: found where it is written, declined where it is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.fix.source_places import FILE, edits_of, marked_case
from tests.unit.handmade import container
from traceonce.facts.replay import Site
from traceonce.fix.candidate import Declined
from traceonce.fix.source.passed_arguments import find_arguments

TF = "import tensorflow as tf\n"
STEP = TF + "@tf.function\ndef step(x, k=1):\n    return x * k\n"
METHOD = TF + "class M:\n    @tf.function\n    def step(self, x, k): pass\n"


def given(source: str, path: str, *called: str, function: str = "step", **options: Any) -> list[str]:
    """The expressions that these calls give for the path."""
    options.setdefault("made", "tf.function")
    edits = edits_of(source)
    case = marked_case(source, function, called=called, **options)
    found = find_arguments(case, edits, path)
    return [argument.module.code(argument.node.value) for argument in found]


@pytest.mark.parametrize("spans", [True, False], ids=["with columns", "by line"])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("step(x, 3)", ["3"]),
        ("step(x, k=a + b)", ["a + b"]),
        ("step(k=n, x=x)", ["n"]),
        ("step(x)", []),
        ("step(\n    x,  # data\n    len(y),\n)", ["len(y)"]),
        ("step(step(x, 1), 2)", ["2"]),
        ("step(x, 3, **rest)", ["3"]),
        ("step(x, *y)", None),
        ("step(*args)", None),
        ("step(x, **options)", None),
    ],
)
def test_positions_and_keywords(call: str, expected: list[str] | None, spans: bool) -> None:
    """A parameter that is left out has no place; one that may come through stars is declined."""
    source = STEP + f"z = {call}\n"
    if call.count("step") > 1 and not spans:
        with pytest.raises(Declined, match="has 2 calls of step"):
            given(source, "k", call, spans=False)
    elif expected is None:
        with pytest.raises(Declined, match=r"train.py:5 passes it through \*"):
            given(source, "k", call, spans=spans)
    else:
        assert given(source, "k", call, spans=spans) == expected


def test_every_site_is_found_once() -> None:
    """Two calls on one line too, where columns are known."""
    source = STEP + "a, b = step(x, 1), step(x, 2)\nfor i in y:\n    step(x, k=i)\n"
    assert given(source, "k", "step(x, 1)", "step(x, 2)", "step(x, k=i)", "step(x, 1)") == ["1", "2", "i"]
    with pytest.raises(Declined, match=r"train.py:5 has 2 calls of step; it is unclear which one is meant"):
        given(source, "k", "step(x, 1)", spans=False)


def test_a_place_without_a_call_is_declined() -> None:
    """By line: the call is not there."""
    source = STEP + "other(x, 1)\n"
    with pytest.raises(Declined, match="has no calls of step"):
        given(source, "k", "other(x, 1)", spans=False)


@pytest.mark.parametrize(
    ("source", "function", "call", "made"),
    [
        (METHOD + "m = M()\nm.step(x, 3)\n", "M.step", "m.step(x, 3)", "tf.function"),
        (METHOD + "m = M()\nM.step(m, x, 3)\n", "M.step", "M.step(m, x, 3)", "tf.function"),
        (METHOD + "m = M()\nf = m.step\nf(x, 3)\n", "M.step", "f(x, 3)", "tf.function"),
        (
            TF + "class M:\n    @staticmethod\n    @tf.function\n    def step(x, k): pass\nM.step(x, 3)\n",
            "M.step",
            "M.step(x, 3)",
            "tf.function",
        ),
        (
            TF + "class M:\n    def __init__(self): self.go = tf.function(self._go)\n    def _go(self, x, k): pass\n"
            "    def run(self): self.go(x, 3)\n",
            "M._go",
            "self.go(x, 3)",
            "tf.function(self._go)",
        ),
        (TF + "def _f(x, k): pass\nf = tf.function(_f)\nf(x, 3)\n", "_f", "f(x, 3)", "tf.function(_f)"),
        (TF + "def f(x, k): pass\ntf.function(f)(x, 3)\n", "f", "tf.function(f)(x, 3)", "tf.function(f)"),
        (
            TF + "f: object = wrap(tf.function(lambda x, k: x))\nf(x, 3)\n",
            "<lambda>",
            "f(x, 3)",
            "tf.function(lambda x, k: x)",
        ),
        (STEP + "fns = [step]\nfns[0](x, 3)\n", "step", "fns[0](x, 3)", "tf.function"),
    ],
)
def test_every_way_of_calling_it(source: str, function: str, call: str, made: str) -> None:
    """By the name that it is assigned to, as a method, through its class, out of a list, made on the spot."""
    assert given(source, "k", call, function=function, made=made) == ["3"]


def test_a_call_of_a_function_that_takes_self() -> None:
    """Called through its class only, TensorFlow sees `self` as a parameter."""
    source = METHOD + "m = M()\nM.step(m, x, 3)\nm.step(x, 4)\n"
    calls = ("M.step(m, x, 3)", "m.step(x, 4)")
    assert given(source, "k", *calls, function="M.step", parameters=("self", "x", "k")) == ["3", "4"]


def test_an_imported_name() -> None:
    """Another file may know the function by another name."""
    source = "from model import step as run\nrun(x, 3)\n"
    assert given(source, "k", "run(x, 3)", made=None) == ["3"]


@pytest.mark.parametrize(
    ("call", "through"),
    [
        ("list(map(step, y))", r"list\(…\)"),
        ("sorted(y, key=step)", r"sorted\(…\)"),
        ("partial(step, x)(3)", r"partial\(step, x\)\(…\)"),
        ("strategy.run(step, args=(x, 3))", r"strategy.run\(…\)"),
        ("fn(x, 3)", r"fn\(…\)"),
    ],
)
def test_a_call_through_something_else_is_declined(call: str, through: str) -> None:
    """What it gives to the function is not for us to tell."""
    with pytest.raises(Declined, match=f"step is called through {through} at train.py:5"):
        given(STEP + f"{call}\n", "k", call)


def test_a_call_by_a_library_is_declined() -> None:
    """Even where the names agree; but a decorator above may well stand between."""
    with pytest.raises(Declined, match=r"a library sits between the call at train.py:5 and step"):
        given(STEP + "step(x, 3)\n", "k", "step(x, 3)", direct=False)
    guarded = STEP.replace("@tf", "@traceonce.max_traces(1)\n@tf") + "step(x, 3)\n"
    assert given(guarded, "k", "step(x, 3)", direct=False) == ["3"]


def test_sites_that_are_not_there() -> None:
    """None at all, in a library, or at a place that is no call."""
    with pytest.raises(Declined, match="no call of step was seen"):
        given(STEP, "k")
    case = marked_case(STEP + "y = x\n", "step", called=("x",))
    with pytest.raises(Declined, match="not a direct call of step"):
        find_arguments(case, edits_of(STEP + "y = x\n"), "k")
    outside = Site(case.diagnosis.function, "keras/trainer.py", 3)
    with pytest.raises(Declined, match="outside the project"):
        find_arguments(case._replace(sites=(outside,)), edits_of(STEP), "k")


NESTED = [
    ("step({'lr': 3, 'n': 1})", "batch['lr']", "3"),
    ("step({b'lr': 1, 2: 3})", "batch[2]", "3"),
    ("step([0, (1, 3)])", "batch[1][1]", "3"),
    ("step(dict(lr=3))", "batch['lr']", "3"),
    ("step(Options(lr=3))", "batch.lr", "3"),
    ("step(batch={'a': [Options(lr=3)]})", "batch['a'][0].lr", "3"),
    ("step(b)", "batch['lr']", "b is passed there"),
    ("step({**b, 'lr': 3})", "batch['lr']", "is passed there"),
    ("step({'lr': 1, 'lr': 2})", "batch['lr']", "is passed there"),
    ("step([*b, 3])", "batch[1]", "is passed there"),
    ("step(Options(3))", "batch.lr", "is passed there"),
    ("step({key: 3})", "batch['lr']", "is passed there"),
    ("step([1])", "batch[4]", "is passed there"),
]


@pytest.mark.parametrize(("call", "path", "expected"), NESTED)
def test_a_part_of_an_argument(call: str, path: str, expected: str) -> None:
    """Only where the call writes it out."""
    source = TF + f"@tf.function\ndef step(batch): pass\n{call}\n"
    if expected == "3":
        assert given(source, path, call, parameters=("batch",)) == ["3"]
    else:
        with pytest.raises(Declined, match=rf"is not written out at train.py:4: .*{expected}"):
            given(source, path, call, parameters=("batch",))


def test_parameters_with_stars_and_keyword_only_ones() -> None:
    """Further positions, further keywords, and one that has no position."""
    source = TF + "@tf.function\ndef step(x, *rest, only=1, **more): pass\nstep(x, 1, 2, only=3, extra=4)\n"
    names = ("x", "rest", "only", "more")
    parts = (
        container("*", "keyword-only", "only"),
        container("rest", "*args", "0", "1"),
        container("more", "**kwargs", "extra"),
    )
    call = "step(x, 1, 2, only=3, extra=4)"
    for path, value in {"rest[1]": "2", "only": "3", "more['extra']": "4", "x": "x"}.items():
        assert given(source, path, call, parameters=names, parts=parts) == [value]


@pytest.mark.parametrize("path", ["captured w", "self._epsilon", "len(xs)"])
def test_a_path_that_no_call_gives(path: str) -> None:
    """Captures and attributes of the object come from elsewhere."""
    with pytest.raises(Declined, match=r"is not (passed by a call|a parameter of step)"):
        given(STEP + "step(x, 3)\n", path, "step(x, 3)")


def test_the_argument_knows_its_place() -> None:
    """So that it can be replaced there."""
    source = STEP + "step(x, 3)\n"
    edits = edits_of(source)
    (argument,) = find_arguments(marked_case(source, "step", made="tf.function", called=("step(x, 3)",)), edits, "k")
    edits.replace(argument.module, argument.node.value, edits.expression(argument.module, "tf.constant(3)"))
    assert edits.results()[FILE].decode() == STEP + "step(x, tf.constant(3))\n"
    assert argument.site.line == 5
