"""Signatures form a lattice: the laws of `admits` and `join`, on generated signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec
import pytest
from handmade import container, none, python, signature, tensor, thing, unranked, variable
from hypothesis import given, settings
from hypothesis import strategies as st

from traceonce.facts import Container, Leaf, Shape, Signature

Made: TypeAlias = Callable[[str], Leaf]  # a leaf without its path yet

replace = msgspec.structs.replace
lawful = settings(derandomize=True, deadline=None, max_examples=300)

DIMENSIONS = st.sampled_from([1, 2, 3, None])
SHAPES: st.SearchStrategy[Shape | None] = st.one_of(
    st.tuples(DIMENSIONS, DIMENSIONS), st.tuples(DIMENSIONS, DIMENSIONS), st.tuples(DIMENSIONS), st.just(()), st.none()
)
DTYPES = st.sampled_from(["float32", "int32"])
LITERALS = [0, 1, 2, True, False, 0.0, 1.0, -0.0, 0.5, float("nan"), float("inf"), 1 + 0j, "a", "1", "True", b"a", ...]


def _made(**fields: st.SearchStrategy[object]) -> st.SearchStrategy[Made]:
    return st.fixed_dictionaries(fields).map(lambda chosen: lambda path: Leaf(path, **chosen))


TENSORS = _made(kind=st.just("tensor"), dtype=DTYPES, shape=SHAPES, name=st.sampled_from([None, None, "a", "b"]))
VARIABLES = _made(
    kind=st.just("variable"),
    dtype=DTYPES,
    shape=SHAPES,
    value=st.sampled_from(["trainable", "not trainable"]),
    identity=st.integers(0, 1),
)
OBJECTS = _made(kind=st.just("object"), type_name=st.sampled_from(["Config", "Model"]), identity=st.integers(1, 3))
PYTHON = st.sampled_from(LITERALS).map(lambda value: lambda path: python(path, value))
COMPOSITES = _made(
    kind=st.just("spec"),
    dtype=DTYPES,
    shape=SHAPES,
    value=st.sampled_from([None, "ragged_rank=1", "ragged_rank=2"]),
    type_name=st.sampled_from(["RaggedTensorSpec", "SparseTensorSpec"]),
)
STATIC = _made(kind=st.just("spec"), value=st.sampled_from(["'p'", "'q'"]), type_name=st.sampled_from(["str", "Mode"]))
LEAVES: st.SearchStrategy[Made] = st.one_of(
    TENSORS, TENSORS, TENSORS, PYTHON, PYTHON, OBJECTS, VARIABLES, COMPOSITES, STATIC, st.just(none)
)
CONTEXTS = st.sampled_from([{}, {}, {}, {"graph": "tf.Graph 1"}, {"graph": "tf.Graph 2", "device": "cpu"}])

Nest: TypeAlias = "list[Nest] | dict[str, Nest] | None"  # None stands for a leaf
NESTS: st.SearchStrategy[Nest] = st.recursive(
    st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=3,
)
ARGUMENTS = st.lists(NESTS, min_size=2, max_size=3)


def flatten(path: str, nest: Nest) -> tuple[list[str], list[Container]]:
    """The paths of the leaves, and the containers."""
    if nest is None:
        return [path], []
    keys = sorted(map(repr, nest)) if isinstance(nest, dict) else [str(index) for index in range(len(nest))]
    inner = [nest[key] for key in sorted(nest)] if isinstance(nest, dict) else nest
    paths: list[str] = []
    containers = [Container(path, "dict" if isinstance(nest, dict) else "list", tuple(keys))]
    for key, part in zip(keys, inner, strict=True):
        more, nested = flatten(f"{path}[{key}]", part)
        paths += more
        containers += nested
    return paths, containers


@st.composite
def families(draw: st.DrawFn, size: int = 2) -> list[Signature]:
    """Signatures that are mostly alike: of one structure, and with many equal or relaxed leaves."""
    nests = draw(ARGUMENTS)
    context = draw(CONTEXTS)
    first = _fill(draw, nests, context, None)
    rest = []
    for _ in range(size - 1):
        other = draw(st.sampled_from([nests] * 9 + [draw(ARGUMENTS)]))
        surroundings = draw(st.sampled_from([context] * 9 + [draw(CONTEXTS)]))
        rest.append(_fill(draw, other, surroundings, first))
    return draw(st.permutations([first, *rest]))


def _fill(draw: st.DrawFn, nests: list[Nest], context: dict[str, str], like: Signature | None) -> Signature:
    known = {leaf.path: leaf for leaf in like.leaves} if like is not None else {}
    leaves: list[Leaf] = []
    structure: list[Container] = []
    for index, nest in enumerate(nests):
        paths, containers = flatten(f"p{index}", nest)
        structure += containers
        for path in paths:
            leaf = known.get(path)
            change = draw(st.sampled_from(["resize", "relax", "resize", "relax", "keep", "other"]))
            if leaf is None or change == "other":
                leaves.append(draw(LEAVES)(path))
            elif change == "relax":
                leaves.append(draw(_relaxed_leaves(leaf)))
            elif change == "resize" and leaf.shape:
                leaves.append(replace(leaf, shape=tuple(draw(DIMENSIONS) for _ in leaf.shape)))
            else:
                leaves.append(leaf)
    return Signature(tuple(leaves), tuple(structure), context)


@st.composite
def _relaxed_leaves(draw: st.DrawFn, leaf: Leaf) -> Leaf:
    """A leaf that gives up some of its dimensions, or its rank."""
    if leaf.shape is None or draw(st.integers(0, 4)) == 0:
        return replace(leaf, shape=None)
    return replace(leaf, shape=tuple(None if draw(st.booleans()) else n for n in leaf.shape))


@st.composite
def relaxed(draw: st.DrawFn, narrow: Signature) -> Signature:
    return replace(narrow, leaves=tuple(draw(_relaxed_leaves(leaf)) for leaf in narrow.leaves))


def same(a: Signature | None, b: Signature | None) -> bool:
    """Equal to a tracer: 1 and True are two leaves, but one value."""
    if a is None or b is None:
        return a is b
    return a.admits(b) and b.admits(a)


def names_differ(a: Signature, b: Signature) -> bool:
    return any(x.name != y.name for x, y in zip(a.leaves, b.leaves, strict=False))


@lawful
@given(families(size=1))
def test_admits_is_reflexive(family: list[Signature]) -> None:
    (one,) = family
    assert one.admits(one)


@lawful
@given(LEAVES, st.booleans())
def test_a_type_that_never_equals_itself_admits_nothing(made: Made, on_both_sides: bool) -> None:
    leaf = made("x")
    unequal = replace(leaf, unequal_by="Label.__eq__")
    other = unequal if on_both_sides else leaf
    assert not unequal.admits(other)
    assert not other.admits(unequal)
    assert unequal.join(other) is None
    assert other.join(unequal) is None


@lawful
@given(families(size=3))
def test_admits_is_transitive(family: list[Signature]) -> None:
    a, b, c = family
    if a.admits(b) and b.admits(c):
        assert a.admits(c)


@lawful
@given(st.data())
def test_what_gives_up_shapes_admits_what_it_came_from(data: st.DataObject) -> None:
    """The same, on chains that do admit each other."""
    (narrow,) = data.draw(families(size=1))
    wide = data.draw(relaxed(narrow))
    widest = data.draw(relaxed(wide))
    assert wide.admits(narrow)
    assert widest.admits(wide)
    assert widest.admits(narrow)


@lawful
@given(families())
def test_join_is_an_upper_bound(family: list[Signature]) -> None:
    a, b = family
    both = a.join(b)
    if both is not None:
        assert both.admits(a)
        assert both.admits(b)
        assert both.structure == a.structure
        assert both.context == a.context


@lawful
@given(families())
def test_join_commutes(family: list[Signature]) -> None:
    a, b = family
    assert same(a.join(b), b.join(a))


@lawful
@given(families(size=1))
def test_join_is_idempotent(family: list[Signature]) -> None:
    (one,) = family
    assert one.join(one) == one


@lawful
@given(families(size=3))
def test_join_is_associative(family: list[Signature]) -> None:
    a, b, c = family
    ab, bc = a.join(b), b.join(c)
    left = ab.join(c) if ab is not None else None
    right = a.join(bc) if bc is not None else None
    assert same(left, right)


@lawful
@given(st.data())
def test_join_is_the_least_upper_bound(data: st.DataObject) -> None:
    a, b = data.draw(families())
    bound = data.draw(relaxed(data.draw(st.sampled_from([a, b]))))
    if bound.admits(a) and bound.admits(b) and not names_differ(a, b):
        both = a.join(b)
        assert both is not None
        assert bound.admits(both)


@lawful
@given(families())
def test_there_is_no_join_only_where_nothing_that_could_be_given_up_would_help(family: list[Signature]) -> None:
    """Shapes are all that a trace can leave open. Names are the exception: no two of them join in TensorFlow."""
    a, b = family
    if a.join(b) is None and not names_differ(a, b):
        for one in (a, b):
            widest = replace(one, leaves=tuple(replace(leaf, shape=None) for leaf in one.leaves))
            assert not (widest.admits(a) and widest.admits(b))


@lawful
@given(families())
def test_a_join_with_what_is_admitted_changes_nothing(family: list[Signature]) -> None:
    a, b = family
    if a.admits(b) and not names_differ(a, b):
        assert same(a.join(b), a)


@lawful
@given(families())
def test_leaves_differ_exactly_where_they_are_not_admitted(family: list[Signature]) -> None:
    a, b = family
    for was, now in zip(a.leaves, b.leaves, strict=False):
        differences = list(was.differences(now))
        assert was.admits(now) == (differences == [])
        assert all(difference.was != difference.now for difference in differences if difference.aspect == "shape")


EQUAL = [(1, True), (0, False), (1, 1.0), (True, 1.0), (0.0, -0.0), (1, 1 + 0j), (2.0, 2), (10**18, 1e18)]
UNEQUAL = [(1, 2), (1, "1"), (True, "True"), ("a", "b"), (b"a", "a"), (1.5, 1), (2**53 + 1, 2.0**53), (0.1, 0.2), ("", 0)]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_equal_python_values_are_one(a: object, b: object) -> None:
    """As in TensorFlow, whose cache compares by ``==``."""
    assert python("k", a).admits(python("k", b))
    assert python("k", b).admits(python("k", a))
    assert python("k", a).join(python("k", b)) == python("k", a)


@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_different_python_values_are_two(a: object, b: object) -> None:
    assert not python("k", a).admits(python("k", b))
    assert not python("k", b).admits(python("k", a))
    assert python("k", a).join(python("k", b)) is None


def test_nan_is_nan_to_a_tracer() -> None:
    assert python("k", float("nan")).admits(python("k", float("nan")))
    assert not python("k", float("nan")).admits(python("k", 0.0))


def test_a_number_that_was_shortened_for_storage_is_not_every_other_such_number() -> None:
    long, other = (Leaf("k", "python", value=digit * 119 + "…", type_name="int") for digit in "12")
    assert long.admits(long)
    assert not long.admits(other)
    assert long.join(other) is None


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        (tensor("x", 2, 3), tensor("x", 2, 4), tensor("x", 2, None)),
        (tensor("x", 2, 3), tensor("x", 2), unranked("x")),
        (tensor("x", None), tensor("x", 4), tensor("x", None)),
        (unranked("x"), tensor("x", 4), unranked("x")),
        (tensor("x", 2), tensor("x", 2, dtype="int32"), None),
        (tensor("x", 2, name="a"), tensor("x", 3, name="b"), None),
        (tensor("x", 2, name="a"), tensor("x", 3, name="a"), tensor("x", None, name="a")),
        (tensor("x", 2), variable("x", 2), None),
        (tensor("x"), none("x"), None),
        (variable("v", 2), variable("v", 3), variable("v", None)),
        (variable("v", 2), variable("v", 2, identity=1), None),
        (variable("v", 2), variable("v", 2, trainable=False), None),
        (thing("c", 1), thing("c", 1), thing("c", 1)),
        (thing("c", 1), thing("c", 2), None),
    ],
)
def test_what_joins_to_what(a: Leaf, b: Leaf, joined: Leaf | None) -> None:
    assert a.join(b) == joined
    assert b.join(a) == joined


def test_structure_and_context_are_part_of_the_question() -> None:
    one = signature(container("x", "list", "0"), tensor("x[0]", 2))
    as_tuple = signature(container("x", "tuple", "0"), tensor("x[0]", 2))
    longer = signature(container("x", "list", "0", "1"), tensor("x[0]", 2), tensor("x[1]", 2))
    elsewhere = signature(container("x", "list", "0"), tensor("x[0]", 2), graph="tf.Graph 1")
    for other in (as_tuple, longer, elsewhere):
        assert not one.admits(other)
        assert not other.admits(one)
        assert one.join(other) is None
