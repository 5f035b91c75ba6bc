"""Objects that Python takes for equal share a trace of `traceonce.function`, if a body cannot tell them apart."""

from __future__ import annotations

import dataclasses
import decimal
from typing import Any

import pytest

import traceonce


@dataclasses.dataclass(frozen=True)
class Held:
    content: Any


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("__weakref__", "content")
    content: Any


EQUAL: dict[str, tuple[Any, ...]] = {
    "a number": (1, 1.0, True),
    "a number in a tuple": ((1,), (1.0,), (True,)),
    "a number in a dict in an object": (Held(((0, Held(1)),)), Held(((0, Held(1.0)),))),
    "a zero": (0.0, -0.0),
    "a zero in a set": (frozenset({0.0}), frozenset({-0.0})),
    "a complex zero": (complex(0.0, 0.0), complex(0.0, -0.0), complex(-0.0, 0.0)),
    "digits": (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    "an end that is not reached": (Held(range(0, 3, 2)), Held(range(0, 4, 2))),
}


@pytest.mark.parametrize("held", [None, Held, Slotted], ids=["by itself", "in an object", "in slots"])
@pytest.mark.parametrize("what", EQUAL)
def test_what_is_equal_and_not_the_same_is_told_apart(tf: Any, what: str, held: Any) -> None:
    traced = traceonce.function(lambda x, k: repr(k), autograph=False)
    for value in EQUAL[what] * 2:
        argument = value if held is None else held(value)
        assert traced(tf.ones([2]), argument).numpy().decode() == repr(argument)
    assert traceonce.stats(traced).traces == len(EQUAL[what])


def test_an_object_that_changes_is_traced_anew(tf: Any) -> None:
    """An equal one has that trace; what it was before, no object is equal to any more."""

    class Rate:
        def __init__(self, value: float) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Rate) and self.value == other.value

        def __hash__(self) -> int:
            return hash(self.value)

    traced, one = traceonce.function(lambda x, rate: x * rate.value), Rate(2.0)
    found = [float(traced(tf.constant(1.0), one))]
    one.value = 3.0
    found += [float(traced(tf.constant(1.0), rate)) for rate in (one, Rate(3.0), Rate(2.0))]
    assert found == [2.0, 3.0, 3.0, 2.0]
    assert traceonce.stats(traced).traces == 3
