"""Signatures that are proposed, in their order, and how they are written into a file."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.fix.written_case import FILE, case_for
from tests.unit.handmade import container, none, python, tensor, thing
from traceonce.facts import Leaf
from traceonce.fix.candidate import Candidate, Declined
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes.input_signature import MOST, Signing, propose
from traceonce.words.notes import english_note

SOURCE = "import tensorflow as tf\n\n\n@tf.function\ndef f(x, k):\n    return x\n\n\nf(1, 2)\n"


def case(*calls: tuple[Leaf, ...], source: str = SOURCE, code: str = "value", **fields: object) -> Case:
    return case_for(source, "f", (code, "k"), leaves=calls, **fields)


def written(candidate: Candidate, source: str = SOURCE) -> str:
    edits = Edits({FILE: source.encode()})
    assert candidate.change is not None
    candidate.change(edits)
    return edits.results()[FILE].decode()


def test_a_number_is_tried_as_an_integer_as_a_float_and_as_a_wide_integer() -> None:
    found = list(propose(case(*((tensor("x", 2), python("k", number)) for number in range(4)))))
    assert [each.snippet for each in found] == [
        "@tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)])",
        "@tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32)])",
        "@tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int64)])",
    ]
    assert {each.predicted_traces for each in found} == {1}
    assert {each.safety for each in found} == {"review"}
    assert "k becomes a tensor" in (english_note(found[0].notes) or "")


def test_shapes_alone_are_safe_until_the_body_changes() -> None:
    found = list(propose(case(*((tensor("x", size), tensor("k")) for size in (2, 3)), code="shape")))
    assert [(each.recipe, each.safety) for each in found[:2]] == [
        ("input_signature", "safe"),
        ("input_signature+dynamic_shape", "review"),
    ]


def test_several_numbers_are_mixed_within_bounds() -> None:
    names = [f"k{number}" for number in range(4)]
    calls = [tuple(python(name, value) for name in names) for value in (1, 2)]
    found = [each for each in propose(case(*calls)) if each.recipe == "input_signature"]
    dtypes = [[part.partition(")")[0] for part in (each.snippet or "").split("[], tf.")[1:]] for each in found]
    assert len(dtypes) == MOST
    assert dtypes[0] == ["int32"] * 4
    assert dtypes[1] == ["float32"] * 4
    assert dtypes[2] == ["int64"] * 4
    assert len({tuple(each) for each in dtypes}) == MOST


def test_of_very_many_numbers_not_every_mixture_is_looked_at() -> None:
    names = [f"k{number}" for number in range(60)]
    calls = [tuple(python(name, value) for name in names) for value in (1, 2)]
    assert len([each for each in propose(case(*calls)) if each.recipe == "input_signature"]) == MOST


def test_a_number_that_never_varied_is_lifted_too() -> None:
    """There are no holes in a signature."""
    found = next(iter(propose(case(*((tensor("x", size), python("k", 3)) for size in (2, 3)), code="shape"))))
    assert (
        found.snippet
        == "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])"
    )


@pytest.mark.parametrize(
    ("leaf", "reason"),
    [
        (python("k", "a"), "k is a Python str"),
        (none("k"), "k is None"),
        (thing("k", 1), "k is Config object"),
    ],
)
def test_a_static_argument_is_named(leaf: Leaf, reason: str) -> None:
    with pytest.raises(Declined, match=reason):
        list(propose(case((tensor("x", 2), leaf), (tensor("x", 3), leaf), code="shape")))


def test_a_function_with_a_signature_is_left_alone() -> None:
    assert list(propose(case((tensor("x", 2),), (tensor("x", 3),), code="shape", signed=True))) == []


def test_other_causes_are_not_for_a_signature() -> None:
    assert list(propose(case((tensor("x", 2),), code="new_function"))) == []


def test_what_a_relaxed_trace_served_is_admitted() -> None:
    """Calls in between were served by the wider trace, and are not recorded."""
    seen = case((tensor("x", 2), tensor("k")), (tensor("x", 3), tensor("k")), code="shape", reduce_retracing=True)
    event = seen.events[1]
    wide = msgspec.structs.replace(event.signature, leaves=(tensor("x", None, 3), tensor("k")))
    first = msgspec.structs.replace(event.signature, leaves=(tensor("x", 2, 3), tensor("k")))
    events = (
        msgspec.structs.replace(seen.events[0], signature=first),
        msgspec.structs.replace(event, signature=first, traced=wide),
    )
    found = next(iter(propose(seen._replace(events=events))))
    assert "tf.TensorSpec([None, 3], tf.float32)" in (found.snippet or "")


def test_it_is_written_where_the_function_is_made() -> None:
    found = next(iter(propose(case(*((tensor("x", 2), python("k", number)) for number in range(3))))))
    line = "@tf.function(input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)])\n"
    assert written(found) == SOURCE.replace("@tf.function\n", line)


def test_options_that_are_there_stay() -> None:
    source = SOURCE.replace("@tf.function", "@tf.function(jit_compile=True)")
    calls = [(tensor("x", size), tensor("k")) for size in (2, 3)]
    found = next(iter(propose(case(*calls, source=source, code="shape"))))
    assert "@tf.function(jit_compile=True, input_signature=[" in written(found, source)


def test_a_class_that_is_not_known_there_declines() -> None:
    seen = case((tensor("x", 2), tensor("k.a", 2)), (tensor("x", 3), tensor("k.a", 2)), code="shape")
    pair = container("k", "Pair", "a")
    parameters = container("", "parameters", "x", "k")
    events = tuple(
        msgspec.structs.replace(event, signature=msgspec.structs.replace(event.signature, structure=(pair, parameters)))
        for event in seen.events
    )
    found = next(iter(propose(seen._replace(events=events))))
    with pytest.raises(Declined, match="has no class called Pair"):
        written(found)
    known = SOURCE.replace("\n\n\n@", "\nfrom pairs import Pair\n\n\n@", 1)
    moved = case_for(known, "f", ("shape", "x"))
    candidate = Candidate("input_signature", "safe", (), Signing(moved, found.change.cover))  # type: ignore[union-attr]
    assert "Pair(a=tf.TensorSpec([2], tf.float32))" in written(candidate, known)


def test_the_wider_signature_opens_every_dimension() -> None:
    seen = case(*((tensor("x", size, 3), tensor("k")) for size in (2, 3)), code="shape")
    least = next(iter(propose(seen)))
    assert isinstance(least.change, Signing)
    wide = least.change.wider(least)
    assert wide is not None
    assert isinstance(wide.change, Signing)
    assert "tf.TensorSpec([None, None], tf.float32)" in (wide.snippet or "")
    assert "tf.TensorSpec([None, None], tf.float32)" in written(wide)
    assert wide.change.wider(wide) is None


def test_a_body_that_reads_no_size_declines_the_change_of_it() -> None:
    found = list(propose(case(*((tensor("x", size), tensor("k")) for size in (2, 3)), code="shape")))
    assert found[1].recipe == "input_signature+dynamic_shape"
    with pytest.raises(Declined, match="reads no size"):
        written(found[1])
