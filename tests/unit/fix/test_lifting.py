"""Which dtypes Python numbers can have as tensors."""

from __future__ import annotations

import pytest

from tests.unit.handmade import container, none, python, signature, tensor
from traceonce.facts import Leaf
from traceonce.frameworks.tensorflow.recipes.dtypes import (
    assign_alike,
    float_dtype,
    note_lifted,
    number_paths,
    stack,
    stacked_lists,
    widest,
)
from traceonce.words.notes import in_english


def choices(*leaves: Leaf, beside: tuple[Leaf, ...] = ()) -> tuple[str, ...]:
    """The dtypes for `k`, of which these were seen."""
    return number_paths([signature(leaf, *beside) for leaf in leaves])["k"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 2], ("int32", "float32", "int64", "float64")),
        ([0.5, 0.25], ("float32", "float64")),
        ([1, 0.5], ("float32", "float64")),
        ([0, 2**31 - 1], ("int32", "int64", "float64")),
        ([0, 2**31], ("int64", "float64")),
        ([0, 2**60], ("int64",)),
        ([2**24], ("int32", "float32", "int64", "float64")),
        ([2**24 + 1], ("int32", "int64", "float64")),
        ([2**63, 0], ()),
        ([1, True], ()),
        ([1, "a"], ()),
    ],
)
def test_numbers(values: list[object], expected: tuple[str, ...]) -> None:
    """Whole numbers are int32 where they fit, then floats where no digit is lost, then int64, then float64."""
    assert choices(*(python("k", value) for value in values)) == expected


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize("value", ["103299784882390592625… #a852fd7aeec7", "no number", "", None])
def test_what_is_called_a_number_and_is_none(kind: str, value: str | None) -> None:
    """A text that was cut, or anything else: no dtype holds it. (To look for it in a range would take for ever.)"""
    assert choices(python("k", 1), Leaf("k", "python", value=value, type_name=kind)) == ()


def test_floats_follow_the_tensors_beside_them() -> None:
    beside = (tensor("x", 2, dtype="float64"),)
    assert choices(python("k", 0.5), python("k", 1), beside=beside) == ("float64",)
    assert choices(python("k", 2**40), beside=beside) == ("int64", "float64")
    assert float_dtype([signature(*beside), signature(tensor("x"))]) == "float32"


@pytest.mark.parametrize(
    ("leaf", "value", "expected"),
    [
        (tensor("k", dtype="float64"), 1, ("float64",)),
        (tensor("k", dtype="int64"), 1, ("int64",)),
        (tensor("k", dtype="int32"), 1.5, ()),
        (tensor("k", 2), 1.5, ()),
        (tensor("k", name="k"), 1.5, ()),
        (none("k"), 1, ()),
    ],
)
def test_numbers_beside_tensors_take_their_dtype(leaf: Leaf, value: float, expected: tuple[str, ...]) -> None:
    assert choices(leaf, python("k", value)) == expected


def test_parameters_that_rest_at_their_defaults_are_not_lifted() -> None:
    frame = [container("", "parameters", "x", "k"), container("=", "defaults", "k=3")]
    assert number_paths([signature(*frame, tensor("x"), python("k", 3))]) == {}
    assert "k" in number_paths([signature(*frame, tensor("x"), python("k", 4))])


def test_lists_of_varying_length_become_one_tensor() -> None:
    def call(*leaves: Leaf) -> object:
        return signature(container("xs", "list", *(str(n) for n in range(len(leaves)))), *leaves)

    def items(count: int, **fields: str) -> list[Leaf]:
        return [tensor(f"xs[{n}]", 2, **fields) for n in range(count)]

    calls = [call(*items(1)), call(*items(3))]
    lists = stacked_lists(calls)  # type: ignore[arg-type]
    assert lists == {"xs": Leaf("xs", "tensor", dtype="float32", shape=(None, 2))}
    assert stack(calls[1], lists) == stack(calls[0], lists) == signature(lists["xs"])  # type: ignore[arg-type]
    assert stacked_lists([call(*items(2))]) == {}  # type: ignore[list-item]
    assert stacked_lists([call(*items(1)), call(*items(2, dtype="int32"))]) == {}  # type: ignore[list-item]
    numbers = [call(python("xs[0]", 1)), call(python("xs[0]", 1), python("xs[1]", 2.5))]
    assert stacked_lists(numbers)["xs"].dtype == "float32"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        (["int32", "float32"], "float32"),
        (["float64", "float32"], "float64"),
        (["int64", "int32"], "int64"),
        (["string", "int32"], None),
        (["bool", "int32"], None),
        ([], None),
    ],
)
def test_the_widest_dtype(dtypes: list[str], expected: str | None) -> None:
    assert widest(dtypes) == expected


def test_all_numbers_are_treated_alike_first() -> None:
    whole, fraction, large = ("int32", "float32", "int64"), ("float64",), ("int32", "int64")
    assert assign_alike({"a": whole, "b": fraction, "c": large}) == [
        {"a": "int32", "b": "float64", "c": "int32"},
        {"a": "float32", "b": "float64", "c": "int32"},
        {"a": "int64", "b": "float64", "c": "int64"},
    ]
    assert assign_alike({"b": fraction}) == [{"b": "float64"}]
    assert assign_alike({"a": (*whole, "float64"), "b": ("float32", "float64")})[-1] == {"a": "float64", "b": "float64"}
    assert {"a": "float64"} not in assign_alike({"a": (*whole, "float64")})
    assert assign_alike({}) == [{}]


def test_what_becomes_of_numbers_is_said() -> None:
    assert list(note_lifted({})) == []
    (alone,) = in_english(note_lifted({"k": "float32"}))
    assert alone == "k becomes a tensor: during tracing, Python cannot index with, format or branch on it."
    first, second = in_english(note_lifted({"k": "int32", "a": "float32"}))
    assert first == "a and k become tensors: during tracing, Python cannot index with, format or branch on them."
    assert second == "As an int32, k cannot be combined with Python floats, and overflows beyond 2**31."
