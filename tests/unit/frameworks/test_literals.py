"""Python values as text: also those that Python itself refuses to write."""

from __future__ import annotations

import math

import pytest

from traceonce.facts.signature import number, same_literal
from traceonce.frameworks.base.literals import python_leaf


class Mute:
    def __init__(self, key: int) -> None:
        self.key = key

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __hash__(self) -> int:
        return self.key


def test_numbers_of_many_digits() -> None:
    """From some length on their text is cut, and they are numbers no more; equal ones stay equal."""
    leaves = [python_leaf("n", math.factorial(n)) for n in (95, 96, 95)]
    assert number(leaves[0]) is None
    assert same_literal(leaves[0], leaves[2])
    assert not same_literal(leaves[0], leaves[1])


@pytest.mark.parametrize("digits", [4_299, 4_300, 20_000])
def test_more_digits_than_python_writes(digits: int) -> None:
    leaves = [python_leaf("n", 10**digits + add) for add in (0, 1, 0)]
    assert {leaf.type_name for leaf in leaves} == {"int"}
    assert len(leaves[0].value or "") <= 120
    assert (leaves[0] == leaves[2], leaves[0] == leaves[1]) == (True, False)


def test_values_that_cannot_be_written() -> None:
    one, other, same = (python_leaf("n", (10**5_000, Mute(key))) for key in (1, 2, 1))
    assert one.value == "<tuple whose repr raises ValueError, " + (one.value or "").partition(", ")[2]
    assert (one == same, one == other) == (True, False)
