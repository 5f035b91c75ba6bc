"""Real recompilations, each with its cause: code, path, was, now, and the caller's line."""

from __future__ import annotations

import collections
import enum
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest

import traceonce
from tests.source_lines import line_of
from tests.torch.compiled import Told, only, told


class Case(NamedTuple):
    """A function, the calls that are made of it, and the causes to be told; `traces` counts the compilations."""

    function: Callable[..., Any]
    calls: list[Any]
    causes: list[Told]
    traces: int
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


def _double(x: Any, k: Any = 2) -> Any:
    return x * k


def _sine(x: Any) -> Any:
    return x.sin()


def _together(x: Any, y: Any) -> Any:
    return x.sum() + y.sum() if x.shape[0] == y.shape[0] else x.sum()


def _small_or_large(x: Any) -> Any:
    return x * 2 if x.shape[0] > 10 else x + 1


def _flagged(x: Any, flag: bool = False, name: str = "a", other: Any = None) -> Any:
    y = x * 2 if flag else x + len(name)
    return y if other is None else y + other


def _total(xs: Any) -> Any:
    return sum(xs)


def _batch(batch: Any) -> Any:
    return batch["ids"][0] + batch["mask"]


def _any_key(batch: Any) -> Any:
    return sum(batch.values())


def _apply(f: Any, x: Any) -> Any:
    return f(x)


def _variadic(x: Any, *rest: Any, **named: Any) -> Any:
    return x + len(rest) + len(named)


def _in_place(x: Any, y: Any) -> Any:
    return x.add_(1) + y


class Mode(enum.Enum):
    TRAIN = 1
    TEST = 2


def _by_mode(x: Any, mode: Mode) -> Any:
    return x + 1 if mode is Mode.TRAIN else x * 2


def _scaled(x: Any, a: Any) -> Any:
    return x * a.sum()


def _first(d: Any) -> Any:
    return d[0] + 1


LAMBDAS = next(
    number for number, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith("# the lambdas")
)
CASES: dict[str, Callable[[Any], Case]] = {
    "an enum": lambda t: Case(
        _by_mode,
        [(t.ones(3), Mode.TRAIN), (t.ones(3), Mode.TEST)],
        [("value", "mode", "Mode.TRAIN", "Mode.TEST")],
        2,
    ),
    "an array of NumPy's": lambda t: Case(
        _scaled,
        [(t.ones(3), numpy.ones(3)), (t.ones(3), numpy.ones(4)), (t.ones(3), numpy.ones(5))],
        [("shape", "a.shape[0]", "3", "4")],
        2,
    ),
    "a deque": lambda t: Case(
        _first,
        [(collections.deque([t.ones(3)]),), (collections.deque([t.ones(3), t.ones(3)]),)],
        [("structure", "len(d)", "1", "2")],
        2,
    ),
    "nan": lambda t: Case(_double, [(t.ones(3), math.nan), (t.ones(3), 1.5)], [("value", "k", "nan", "1.5")], 2),
    "size": lambda t: Case(
        _sine,
        [(t.ones(3, 4),), (t.zeros(5, 4),), (t.zeros(7, 4),), (t.zeros(9, 4),)],
        [("shape", "x.shape[0]", "3", "5")],
        2,
    ),
    "size one": lambda t: Case(
        _sine,
        [(t.ones(3, 4),), (t.zeros(5, 4),), (t.zeros(1, 4),)],
        [("shape", "x.shape[0]", "3", "5")],
        3,
    ),
    "size one under dynamic=True": lambda t: Case(
        _sine, [(t.ones(3, 4),), (t.zeros(1, 4),)], [("shape", "x.shape[0]", "2 or more", "1")], 2, {"dynamic": True}
    ),
    "rank": lambda t: Case(_sine, [(t.ones(3, 4),), (t.zeros(4),)], [("rank", "x.shape", "[3,4]", "[4]")], 2),
    "dtype": lambda t: Case(
        _sine, [(t.ones(3, 4),), (t.ones(3, 4).double(),)], [("dtype", "x.dtype", "float32", "float64")], 2
    ),
    "stride": lambda t: Case(
        _sine, [(t.zeros(4, 4),), (t.zeros(4, 4).t(),)], [("guard", "x.stride()[0]", "4", "1")], 2
    ),
    "requires_grad": lambda t: Case(
        _sine,
        [(t.ones(3, 4),), (t.zeros(3, 4, requires_grad=True),)],
        [("guard", "x.requires_grad", "False", "True")],
        2,
    ),
    "device": lambda t: Case(
        _sine, [(t.ones(3, 4),), (t.ones(3, 4).to("meta"),)], [("guard", "x.device", "cpu", "meta")], 2
    ),
    "a kind of tensor": lambda t: Case(
        _sine, [(t.ones(3, 4),), (t.nn.Parameter(t.ones(3, 4), False),)], [("kind", "x", "Tensor", "Parameter")], 2
    ),
    "sizes that were equal": lambda t: Case(
        _together,
        [(t.zeros(3), t.zeros(3)), (t.zeros(4), t.zeros(4)), (t.zeros(4), t.zeros(6))],
        [("shape", "y.shape[0]", "3", "4"), ("shape", "x.shape[0]", "3", "4")],
        3,
    ),
    "a size in a range": lambda t: Case(
        _small_or_large,
        [(t.zeros(5),), (t.zeros(6),), (t.zeros(12),)],
        [("shape", "x.shape[0]", "5", "6")],
        3,
    ),
    "int": lambda t: Case(
        _double,
        [(t.ones(3, 4), 2), (t.ones(3, 4), 3), (t.ones(3, 4), 4), (t.ones(3, 4), 5)],
        [("value", "k", "2", "3")],
        2,
    ),
    "number, then tensor": lambda t: Case(
        _double, [(t.ones(3, 4), 2), (t.ones(3, 4), t.ones(3, 4))], [("kind", "k", "2", "float32[3,4]")], 2
    ),
    "bool": lambda t: Case(
        _flagged,
        [(t.ones(3, 4), False), (t.ones(3, 4), True), (t.ones(3, 4), False)],
        [("value", "flag", "False", "True")],
        2,
    ),
    "str": lambda t: Case(
        _flagged,
        [(t.ones(3, 4), False, "a"), (t.ones(3, 4), False, "bb"), (t.ones(3, 4), False, "ccc")],
        [("value", "name", "'a'", "'bb'")],
        3,
    ),
    "None, then tensor": lambda t: Case(
        _flagged,
        [(t.ones(3, 4),), (t.ones(3, 4), False, "a", t.ones(3, 4))],
        [("kind", "other", "None", "float32[3,4]")],
        2,
    ),
    "length of a list": lambda t: Case(
        _total,
        [([t.ones(3, 4), t.ones(3, 4)],), ([t.ones(3, 4), t.ones(3, 4), t.ones(3, 4)],)],
        [("structure", "len(xs)", "2", "3")],
        2,
    ),
    "a shorter list: guards of items that it does not have": lambda t: Case(
        _total,
        [([t.ones(3, 4)] * 3,), ([t.ones(3, 4)] * 2,)],
        [("structure", "len(xs)", "3", "2")],
        2,
    ),
    "list, then tuple": lambda t: Case(
        _total,
        [([t.ones(3, 4), t.ones(3, 4)],), ((t.ones(3, 4), t.ones(3, 4)),)],
        [("structure", "xs", "list", "tuple")],
        2,
    ),
    "inside a dict": lambda t: Case(
        _batch,
        [({"ids": [t.ones(3, 4)], "mask": t.ones(3, 4)},), ({"ids": [t.ones(3, 4).double()], "mask": t.ones(3, 4)},)],
        [("dtype", "batch['ids'][0].dtype", "float32", "float64")],
        2,
    ),
    "keys of a dict": lambda t: Case(
        _any_key,
        [({"a": t.ones(3, 4)},), ({"a": t.ones(3, 4), "b": t.ones(3, 4)},)],
        [("structure", "len(batch)", "1", "2")],
        2,
    ),
    "another function as an argument": lambda t: Case(
        _apply, [(t.sin, t.ones(3, 4)), (t.cos, t.ones(3, 4))], [("identity", "f", "sin", "cos")], 2
    ),
    "a new lambda as an argument": lambda t: Case(
        _apply,
        [(lambda x: x + 1, t.ones(3, 4)), (lambda x: x + 2, t.ones(3, 4))],  # the lambdas
        [("identity", "f", "the code it was compiled with", f"<lambda>.<locals>.<lambda>, the code at line {LAMBDAS}")],
        2,
    ),
    "*args": lambda t: Case(_variadic, [(t.ones(3, 4),), (t.ones(3, 4), 1)], [("structure", "len(rest)", "0", "1")], 2),
    "one tensor twice": lambda t: Case(
        _in_place,
        [(t.zeros(3), t.zeros(3)), (same := t.zeros(3), same)],
        [("aliasing", "x", "tensors of their own", "the same tensor as y")],
        2,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_arguments(torch: Any, dynamo: Any, name: str) -> None:
    case = CASES[name](torch)
    step = torch.compile(case.function, backend="eager", **case.options)
    with traceonce.watch() as seen:
        for call in case.calls:
            step(*call)  # the call
    diagnosis = only(seen)
    assert told(diagnosis) == case.causes
    assert (diagnosis.traces, diagnosis.retraces) == (case.traces, case.traces - 1)
    assert diagnosis.calls == len(case.calls)
    assert {cause.evidence for cause in diagnosis.causes} == {"reported"}
    (site,) = diagnosis.call_sites
    assert (Path(site.file).name, site.line) == (Path(__file__).name, line_of(test_arguments, "# the call"))
