"""The least signature that admits every call seen, as its author would write it."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.handmade import container, none, python, ragged, signature, sparse, tensor, thing, unranked, variable
from traceonce.facts import Container, Leaf, Signature
from traceonce.frameworks.tensorflow.recipes.cover import NoSignature, cover


def covered(*signatures: Signature) -> str:
    """The list between the brackets of ``input_signature=[…]``."""
    return cover(signatures).code.removeprefix("[").removesuffix("]")


def why_not(*signatures: Signature) -> str:
    with pytest.raises(NoSignature) as raised:
        cover(signatures)
    return str(raised.value)


@pytest.mark.parametrize(
    ("leaves", "expected"),
    [
        ([tensor("x", 2, 3), tensor("x", 2, 4)], "tf.TensorSpec([2, None], tf.float32)"),
        ([tensor("x", 2, 3), tensor("x", 4, 5), tensor("x", 2, 5)], "tf.TensorSpec([None, None], tf.float32)"),
        ([tensor("x", 2), tensor("x", 2, 3)], "tf.TensorSpec(None, tf.float32)"),
        ([tensor("x"), unranked("x")], "tf.TensorSpec(None, tf.float32)"),
        ([tensor("x", dtype="int32")], "tf.TensorSpec([], tf.int32)"),
        ([tensor("x", 2, name="ids")], "tf.TensorSpec([2], tf.float32, name='ids')"),
        ([sparse("x", 2, 3), sparse("x", 5, 3)], "tf.SparseTensorSpec([None, 3], tf.int32)"),
        ([ragged("x", 2, None), ragged("x", 3, None)], "tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1)"),
    ],
)
def test_tensors(leaves: list[Leaf], expected: str) -> None:
    assert covered(*map(signature, leaves)) == expected


def test_ragged_tensors_with_narrow_row_splits_say_so() -> None:
    leaf = msgspec.structs.replace(ragged("x", 2, None), value="ragged_rank=1, row_splits=int32")
    assert covered(signature(leaf)).endswith("ragged_rank=1, row_splits_dtype=tf.int32)")


def test_arguments_keep_their_order() -> None:
    one, two = (signature(tensor("b", n), tensor("k", dtype="int32"), tensor("a")) for n in (1, 2))
    assert covered(one, two) == (
        "tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)"
    )


@pytest.mark.parametrize(
    ("structure", "leaf", "expected"),
    [
        ([container("x", "list", "0")], "x[0]", "[tf.TensorSpec([None], tf.float32)]"),
        ([container("x", "tuple", "0")], "x[0]", "(tf.TensorSpec([None], tf.float32),)"),
        ([container("x", "dict", "'ids'")], "x['ids']", '{"ids": tf.TensorSpec([None], tf.float32)}'),
        (
            [container("x", "dict", "'a'"), container("x['a']", "list", "0")],
            "x['a'][0]",
            '{"a": [tf.TensorSpec([None], tf.float32)]}',
        ),
        ([container("x", "Pair", "first")], "x.first", "Pair(first=tf.TensorSpec([None], tf.float32))"),
        (
            [container("x", "Pair", "p"), container("x.p", "tuple", "0")],
            "x.p[0]",
            "Pair(p=(tf.TensorSpec([None], tf.float32),))",
        ),
    ],
)
def test_nests_are_spelt_out(structure: list[Container], leaf: str, expected: str) -> None:
    calls = [signature(*structure, tensor(leaf, width)) for width in (2, 3)]
    assert covered(*calls) == expected
    assert cover(calls).classes == ({"Pair"} if "Pair" in expected else set())


def test_an_empty_nest_keeps_its_place() -> None:
    """Leaving it out would give the next argument's type to it."""
    parameters = container("", "parameters", "extras", "x")
    calls = [signature(parameters, container("extras", "list"), tensor("x", width)) for width in (2, 3)]
    assert covered(*calls) == "[], tf.TensorSpec([None], tf.float32)"


def test_each_of_the_variadic_arguments_has_an_entry() -> None:
    frame = [container("", "parameters", "xs"), container("xs", "*args", "0", "1")]
    calls = [signature(*frame, tensor("xs[0]", size), tensor("xs[1]")) for size in (1, 2)]
    assert covered(*calls) == "tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)"


def test_variadic_parameters_that_nothing_is_given_for_are_left_out() -> None:
    frame = [
        container("", "parameters", "x", "rest", "more"),
        container("rest", "*args"),
        container("more", "**kwargs"),
    ]
    assert covered(signature(*frame, tensor("x", 2))) == "tf.TensorSpec([2], tf.float32)"


FRAME = [container("", "parameters", "x", "n", "mask"), container("=", "defaults", "n=3", "mask=None")]


def test_last_parameters_that_stay_at_their_defaults_are_left_out() -> None:
    """A shorter signature freezes them there; one that ever had another value must be in it."""
    calls = [signature(*FRAME, tensor("x", width), python("n", 3), none("mask")) for width in (2, 3)]
    assert covered(*calls) == "tf.TensorSpec([None], tf.float32)"
    lifted = [signature(*FRAME, tensor("x", 4), tensor("n", dtype="int32"), none("mask"))]
    assert covered(*lifted) == "tf.TensorSpec([4], tf.float32), tf.TensorSpec([], tf.int32)"


def test_there_are_no_holes() -> None:
    """A parameter at its default before one that is given must be in the signature, and cannot."""
    frame = [container("", "parameters", "x", "mask", "n"), container("=", "defaults", "mask=None", "n=3")]
    text = why_not(signature(*frame, tensor("x"), none("mask"), tensor("n")))
    assert text == "mask is None, which a signature cannot hold, so it stays static"


def test_a_default_that_is_sometimes_left_for_a_tensor_has_no_signature() -> None:
    calls = [signature(*FRAME, tensor("x"), tensor("n"), leaf) for leaf in (none("mask"), tensor("mask", 2))]
    assert why_not(*calls) == "mask is None or float32[2]"


def test_keyword_only_parameters_are_frozen_or_rule_it_out() -> None:
    frame = [
        container("", "parameters", "x", "mode"),
        container("*", "keyword-only", "mode"),
        container("=", "defaults", "mode='a'"),
    ]
    assert covered(signature(*frame, tensor("x"), python("mode", "a"))) == "tf.TensorSpec([], tf.float32)"
    text = why_not(signature(*frame, tensor("x"), python("mode", "b")))
    assert text == "mode is a keyword-only parameter, which a signature cannot name"


def test_keyword_arguments_rule_it_out() -> None:
    frame = [container("", "parameters", "more"), container("more", "**kwargs", "a")]
    assert why_not(signature(*frame, tensor("more['a']"))).startswith("more takes any keyword arguments")


def test_self_is_no_part_of_a_signature() -> None:
    calls = [signature(thing("self", number), tensor("x", 2)) for number in (1, 2)]
    assert covered(*calls) == "tf.TensorSpec([2], tf.float32)"
    later = [signature(tensor("x", 2), thing("self", 1))]
    assert "self is Config object" in why_not(*later)


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        (tensor("x"), tensor("x", dtype="int32"), "x has the dtypes float32 and int32"),
        (tensor("m"), none("m"), "m is None or float32[]"),
        (tensor("m", 2), python("m", 1), "m is 1 or float32[2]"),
        (python("mode", "a"), python("mode", "b"), "mode is a Python str, which a signature cannot hold"),
        (python("t", True), python("t", False), "t is a Python bool, which a signature cannot hold"),
        (python("t", True), python("t", 2), "t is a Python bool and int, which a signature cannot hold"),
        (python("k", 2**70), python("k", 1), "k is too large for any integer dtype"),
        (thing("c", 1), thing("c", 2), "c is Config object, which a signature cannot hold"),
        (variable("v"), variable("v", identity=1), "v is variable float32[], which a signature cannot hold"),
        (tensor("x", name="a"), tensor("x", name="b"), "x has the names a and b"),
    ],
)
def test_why_there_is_none(was: Leaf, now: Leaf, expected: str) -> None:
    assert why_not(signature(was), signature(now)).startswith(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (container("x", "list", "0"), container("x", "list", "0", "1"), "x has different lengths"),
        (container("x", "dict", "'a'"), container("x", "dict", "'b'"), "x has different keys"),
        (container("x", "list", "0"), container("x", "tuple", "0"), "x has different container types"),
    ],
)
def test_a_structure_that_differs(one: Container, other: Container, expected: str) -> None:
    assert why_not(signature(one), signature(other)) == expected


def test_captures_by_reference_rule_it_out() -> None:
    assert why_not(signature(tensor("x", 2), tensor("captured rate"))) == "the function captures a value by reference"


@pytest.mark.parametrize("name", ["Point (attrs)", "GraphSpec.nodes"])
def test_containers_that_have_no_spelling_rule_it_out(name: str) -> None:
    assert f"x is a {name}" in why_not(signature(container("x", name, "p"), tensor("x.p")))


def test_no_calls_no_signature() -> None:
    assert why_not() == "no call was recorded"


def test_widening_opens_every_dimension() -> None:
    least = cover([signature(tensor("x", 2, 3), ragged("r", 2, None), tensor("k"))])
    assert least.widen().code == (
        "[tf.TensorSpec([None, None], tf.float32), tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1), "
        "tf.TensorSpec([], tf.float32)]"
    )
    assert least.widen().widen() == least.widen()


def test_open_shapes_are_those_of_dense_tensors() -> None:
    calls = [signature(tensor("x", 2, n), tensor("y", 2), ragged("r", n, None)) for n in (1, 2)]
    assert cover(calls).open_shapes == {"x": (2, None)}


def test_every_request_is_the_same_under_a_signature() -> None:
    """Apart from what it leaves out: the object that a method belongs to."""
    calls = [signature(thing("self", 1), tensor("x", n), scope="a") for n in (1, 2)]
    least = cover(calls)
    assert least.apply(calls[0]) == least.apply(calls[1])
    other = signature(thing("self", 2), tensor("x", 1))
    assert least.apply(other) != least.apply(calls[0])


def test_a_long_signature_is_laid_out_over_lines() -> None:
    short = cover([signature(tensor("x", 2))])
    assert short.layout == short.code
    long = cover([signature(*(tensor(f"x{number}", 2) for number in range(4)))])
    assert long.layout.splitlines()[:2] == ["[", "    tf.TensorSpec([2], tf.float32),"]
    assert long.layout.replace("\n", "").replace("    ", " ").replace("[ ", "[").replace(",]", "]") == long.code
