"""Two results of the same call, compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from traceonce.facts import FunctionId
from traceonce.facts.replay import Returned, Value
from traceonce.prove.value_differences import first_difference, tolerance

STEP = FunctionId("step", "train.py", 3)


def array(numbers: Any, dtype: str = "float32") -> Value:
    found = np.asarray(numbers, dtype)
    return Value("array", "EagerTensor", dtype, found.shape, found.tobytes())


def returned(*values: Value, structure: str = "*", error: str | None = None) -> Returned:
    return Returned(STEP, values, structure, error)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (array([1.0, 2.0]), array([1.0, 2.000001])),
        (array([1e6, 1e-7]), array([1e6, 2e-7])),  # small beside what the array holds
        (array([np.nan, np.inf]), array([np.nan, np.inf])),
        (array([1, 2], "int64"), array([1, 2], "int64")),
        (array(3.0, "float64"), array(3.0 + 1e-12, "float64")),
        (Value("python", "float", text="0.5"), Value("python", "float", text="0.5000000001")),
    ],
)
def test_the_same(was: Value, now: Value) -> None:
    assert first_difference(returned(was), returned(now)) is None


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (array([1.0, 2.0]), array([1.0, 2.1]), "[1] 2 → 2.0999999"),
        (array(3.0, "float64"), array(3.0 + 1e-8, "float64"), "3 → 3.00000001"),  # digits lost on the way
        (array([1, 2], "int32"), array([1, 3], "int32"), "[1] 2 → 3"),
        (array(1.0), array(1.0, "float64"), "dtype float32 → float64"),
        (array([1.0]), array(1.0), "shape [1] → []"),
        (array(np.nan), array(1.0), "nan → 1"),
        (array([True]), array([False]), "1 → 0"),
        (array([True], "bool"), array([False], "bool"), "[0] True → False"),
        (array(1.0), Value("python", "float", text="1.0"), "float32[] → float"),
        (Value("python", "str", text="'a'"), Value("python", "str", text="'b'"), "'a' → 'b'"),
    ],
)
def test_not_the_same(was: Value, now: Value, said: str) -> None:
    found = first_difference(returned(was), returned(now))
    assert found is not None
    assert said in found


def test_structure_counts() -> None:
    one, other = returned(array(1.0), structure="[*]"), returned(array(1.0), structure="(*)")
    assert first_difference(one, other) == "structure [*] → (*)"


def test_an_error_is_a_result_by_its_type() -> None:
    error = Returned(STEP, error="ValueError", message="at 0x1")
    assert first_difference(error, Returned(STEP, error="ValueError", message="at 0x2")) is None
    assert first_difference(returned(array(1.0)), error) == "a result → ValueError: at 0x1"


def test_a_large_array_is_compared_by_what_was_summed_up() -> None:
    one = Value("array", "EagerTensor", "float32", (1000, 1000), None, (5.0, 2.0, -1.0, 1.0))
    assert first_difference(returned(one), returned(one)) is None
    other = Value("array", "EagerTensor", "float32", (1000, 1000), None, (5.1, 2.0, -1.0, 1.0))
    assert first_difference(returned(one), returned(other)) == "sum 5 → 5.1"


def test_small_floats_are_compared_coarsely_and_whole_numbers_exactly() -> None:
    assert tolerance("bfloat16") == tolerance("float16") == 1e-2
    assert tolerance("int32") == tolerance("bool") == tolerance("string") == 0
