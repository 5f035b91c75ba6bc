"""The signature that would have covered every call seen, spelt as its author would write it."""

from __future__ import annotations

import msgspec
import pytest
from handmade import container, none, python, ragged, signature, sparse, tensor, thing, unranked, variable

from traceonce.explain.covering import cover
from traceonce.facts import Container, Leaf, Signature


def covered(*signatures: Signature) -> str | None:
    """The list between the brackets of ``input_signature=[…]``."""
    snippet = cover(signatures).snippet
    if snippet is None:
        return None
    assert snippet.startswith("@tf.function(input_signature=[")
    assert snippet.endswith("])")
    return snippet.removeprefix("@tf.function(input_signature=[").removesuffix("])")


def why_not(*signatures: Signature) -> str:
    snippet, note = cover(signatures)
    assert snippet is None
    assert note is not None
    prefix = "no one signature covers the calls: "
    assert note.startswith(prefix)
    return note.removeprefix(prefix)


@pytest.mark.parametrize(
    ("leaves", "expected"),
    [
        ([tensor("x", 2, 3), tensor("x", 2, 4)], "tf.TensorSpec([2, None], tf.float32)"),
        ([tensor("x", 2, 3), tensor("x", 4, 5), tensor("x", 2, 5)], "tf.TensorSpec([None, None], tf.float32)"),
        ([tensor("x", 2), tensor("x", 2, 3)], "tf.TensorSpec(None, tf.float32)"),
        ([tensor("x"), unranked("x")], "tf.TensorSpec(None, tf.float32)"),
        ([tensor("x", dtype="int32")], "tf.TensorSpec([], tf.int32)"),
        ([sparse("x", 2, 3), sparse("x", 5, 3)], "tf.SparseTensorSpec([None, 3], tf.int32)"),
        ([ragged("x", 2, None), ragged("x", 3, None)], "tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1)"),
    ],
)
def test_tensors(leaves: list[Leaf], expected: str) -> None:
    assert covered(*map(signature, leaves)) == expected


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0, 1, 2], "int32"),
        ([0.5, 0.25], "float32"),
        ([1, 0.5], "float32"),
        ([0, 2**31 - 1], "int32"),
        ([0, 2**31], "int64"),
        ([-(2**31) - 1], "int64"),
    ],
)
def test_a_python_number_becomes_a_tensor_and_that_is_said(values: list[float], dtype: str) -> None:
    """Of a dtype that can hold it."""
    signatures = [signature(python("step", value)) for value in values]
    assert covered(*signatures) == f"tf.TensorSpec([], tf.{dtype})"
    assert "step would be a tensor: cast" in (cover(signatures).note or "")


def test_numbers_beyond_any_integer_dtype_are_not_covered() -> None:
    assert covered(signature(python("k", 2**63)), signature(python("k", 0))) is None


def test_arguments_keep_their_order() -> None:
    one, two = (signature(tensor("b", n), python("k", n), tensor("a")) for n in (1, 2))
    assert covered(one, two) == (
        "tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)"
    )


@pytest.mark.parametrize(
    ("structure", "leaf", "expected"),
    [
        ([container("x", "list", "0")], "x[0]", "[tf.TensorSpec([None], tf.float32)]"),
        ([container("x", "tuple", "0")], "x[0]", "(tf.TensorSpec([None], tf.float32),)"),
        ([container("x", "dict", "'ids'")], "x['ids']", "{'ids': tf.TensorSpec([None], tf.float32)}"),
        (
            [container("x", "dict", "'a'"), container("x['a']", "list", "0")],
            "x['a'][0]",
            "{'a': [tf.TensorSpec([None], tf.float32)]}",
        ),
    ],
)
def test_nests_are_spelt_out(structure: list[Container], leaf: str, expected: str) -> None:
    assert covered(*(signature(*structure, tensor(leaf, width)) for width in (2, 3))) == expected


def test_an_empty_nest_keeps_its_place() -> None:
    """Leaving it out would give the next argument's type to it."""
    parameters = container("", "parameters", "extras", "x")
    calls = [signature(parameters, container("extras", "list"), tensor("x", width)) for width in (2, 3)]
    assert covered(*calls) == "[], tf.TensorSpec([None], tf.float32)"


def test_numbers_beside_float_scalars_take_their_dtype() -> None:
    """A Python number is cast to a float spec; an int spec would refuse a float."""
    calls = [signature(tensor("k", dtype="float64")), signature(python("k", 2.0)), signature(python("k", 3))]
    assert covered(*calls) == "tf.TensorSpec([], tf.float64)"


def test_last_parameters_that_stay_at_their_defaults_are_left_out() -> None:
    """A shorter signature freezes them there; one that ever had another value must be in it."""
    frame = [container("", "parameters", "x", "n", "mask"), container("=", "defaults", "n=3", "mask=None")]
    calls = [signature(*frame, tensor("x", width), python("n", 3), none("mask")) for width in (2, 3)]
    assert covered(*calls) == "tf.TensorSpec([None], tf.float32)"
    other = signature(*frame, tensor("x", 4), python("n", 5), none("mask"))
    assert covered(*calls, other) == "tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)"


def test_self_is_no_part_of_a_signature() -> None:
    assert covered(signature(thing("self", 1), tensor("x", 2)), signature(thing("self", 2), tensor("x", 2))) == (
        "tf.TensorSpec([2], tf.float32)"
    )


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        (tensor("x"), tensor("x", dtype="int32"), "x comes as float32 and int32"),
        (tensor("m"), none("m"), "m is None or float32[]"),
        (tensor("m", 2), python("m", 1), "m is 1 or float32[2]"),
        (tensor("m", dtype="int32"), python("m", 1.5), "m is 1.5 or int32[]"),
        (python("mode", "a"), python("mode", "b"), "mode is a str, which a signature cannot hold"),
        (python("t", True), python("t", False), "t is a bool, which a signature cannot hold"),
        (thing("c", 1), thing("c", 2), "c is Config object, which a signature cannot hold"),
        (variable("v"), variable("v", identity=1), "v is variable float32[], which a signature cannot hold"),
        (none("m"), none("m"), "m is None, which a signature cannot hold"),
    ],
)
def test_why_there_is_none(was: Leaf, now: Leaf, expected: str) -> None:
    assert why_not(signature(was), signature(now)) == expected


def test_tensors_of_different_names_are_not_blamed_on_what_they_share() -> None:
    """Their dtype is one; it is the names that have no common signature."""
    text = why_not(signature(tensor("x", name="a")), signature(tensor("x", name="b")))
    assert "name" in text


def test_a_structure_that_differs() -> None:
    one = signature(container("x", "list", "0"), tensor("x[0]"))
    two = signature(container("x", "list", "0", "1"), tensor("x[0]"), tensor("x[1]"))
    assert why_not(one, two) == "their structure differs"


def test_other_leaves_under_the_same_structure_are_no_error() -> None:
    """By-reference captures are leaves of no container, and one trace may have more of them than another."""
    one = signature(tensor("x", 2))
    two = signature(tensor("x", 2), tensor("captured rate"))
    assert covered(one, two) is None


def test_a_named_tuple_cannot_be_spelt() -> None:
    calls = [signature(container("pair", "Pair", "p"), tensor("pair.p", width)) for width in (2, 3)]
    assert why_not(*calls).startswith("pair is a Pair")


def test_ragged_tensors_with_narrow_row_splits_say_so() -> None:
    leaf = msgspec.structs.replace(ragged("x", 2, None), value="ragged_rank=1, row_splits=int32")
    snippet = covered(signature(leaf))
    assert snippet is None or "row_splits_dtype=tf.int32" in snippet


def test_no_calls_no_signature() -> None:
    assert cover([]).snippet is None
