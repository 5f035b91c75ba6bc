"""Signatures form a lattice: the laws of `admits` and `join`, on generated signatures."""

from __future__ import annotations

import itertools
from random import Random
from typing import TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.handmade import container, none, python, signature, tensor, thing, unranked, variable
from traceonce.facts import Container, Leaf, Shape, Signature

replace = msgspec.structs.replace
lawful = settings(derandomize=True, deadline=None, max_examples=1000)

LITERALS = [0, 1, 2, True, False, 0.0, 1.0, -0.0, 0.5, float("nan"), float("inf"), 1 + 0j, "a", "1", "True", b"a", ...]
CONTEXTS = [{}, {"graph": "tf.Graph 1"}, {"graph": "tf.Graph 2", "device": "cpu"}]

Nest: TypeAlias = "list[Nest] | dict[str, Nest] | None"  # None stands for a leaf


class Maker:
    """Makes signatures from a seeded generator.

    Drawn leaf by leaf, most examples come out equal or unrelated; the laws say something about those in between.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._pick = random.choice

    def family(self, size: int) -> list[Signature]:
        """Signatures that are mostly alike: of one structure, and with many equal or relaxed leaves."""
        nests, context = self._nests(), self._pick(CONTEXTS)
        family = [self._fill(nests, context, {})]
        known = {leaf.path: leaf for leaf in family[0].leaves}
        while len(family) < size:
            other = self._nests() if self._rarely() else nests
            family.append(self._fill(other, self._pick(CONTEXTS) if self._rarely() else context, known))
        self._random.shuffle(family)
        return family

    def leaf(self, path: str) -> Leaf:
        kind = self._pick(["python", "object", "variable", "composite", "static", "none", *["tensor"] * 5])
        dtype = self._pick(["float32", "float32", "int32"])
        if kind == "tensor":
            name, bounded = self._pick([None, None, None, "a", "b"]), "BoundedTensorSpec" if self._rarely() else None
            return Leaf(path, "tensor", dtype, self._shape(), type_name=bounded, name=name)
        if kind == "python":
            return python(path, self._pick(LITERALS))
        if kind == "object":
            return thing(path, self._pick([1, 2, 3]), self._pick(["Config", "Model"]))
        if kind == "variable":
            trainable = self._pick(["trainable", "not trainable"])
            return Leaf(path, "variable", dtype, self._shape(), trainable, identity=self._pick([0, 1]))
        if kind == "composite":
            rank = self._pick([None, "ragged_rank=1", "ragged_rank=2"])
            return Leaf(path, "spec", dtype, self._shape(), rank, self._pick(["RaggedTensorSpec", "SparseTensorSpec"]))
        if kind == "static":
            return Leaf(path, "spec", value=self._pick(["'p'", "'q'"]), type_name=self._pick(["str", "Mode"]))
        return none(path)

    def relax(self, narrow: Signature) -> Signature:
        """The same signature with some of its dimensions and ranks given up."""
        return replace(narrow, leaves=tuple(map(self._relax_leaf, narrow.leaves)))

    def _relax_leaf(self, leaf: Leaf) -> Leaf:
        if leaf.shape is None or self._rarely():
            return replace(leaf, shape=None)
        return replace(leaf, shape=tuple(self._pick([n, None]) for n in leaf.shape))

    def _rarely(self) -> bool:
        return self._random.random() < 0.1

    def _shape(self) -> Shape | None:
        rank = self._pick([None, 0, 1, 2, 2, 2])
        return None if rank is None else tuple(self._pick([1, 2, 3, None]) for _ in range(rank))

    def _nests(self) -> list[Nest]:
        return [self._nest(2) for _ in range(self._pick([2, 3]))]

    def _nest(self, depth: int) -> Nest:
        kind = self._pick(["leaf", "leaf", "leaf", "list", "dict"]) if depth else "leaf"
        if kind == "list":
            return [self._nest(depth - 1) for _ in range(self._pick([0, 1, 2]))]
        if kind == "dict":
            return {key: self._nest(depth - 1) for key in self._pick([["a"], ["b"], ["a", "b"]])}
        return None

    def _fill(self, nests: list[Nest], context: dict[str, str], known: dict[str, Leaf]) -> Signature:
        leaves: list[Leaf] = []
        structure: list[Container] = []
        for index, nest in enumerate(nests):
            paths, containers = flatten(f"p{index}", nest)
            leaves += [self._change(known[path]) if path in known else self.leaf(path) for path in paths]
            structure += containers
        return Signature(tuple(leaves), tuple(structure), context)

    def _change(self, leaf: Leaf) -> Leaf:
        change = self._pick(["keep", "relax", "relax", "resize", "resize", "other"])
        if change == "relax":
            return self._relax_leaf(leaf)
        if change == "resize" and leaf.shape:
            return replace(leaf, shape=tuple(self._pick([1, 2, 3, None]) for _ in leaf.shape))
        if change == "other" and self._pick([True, False]):
            return self.leaf(leaf.path)
        if change == "other" and leaf.kind == "python":
            return python(leaf.path, self._pick(LITERALS))
        return leaf


def flatten(path: str, nest: Nest) -> tuple[list[str], list[Container]]:
    """The paths of the leaves, and the containers."""
    if nest is None:
        return [path], []
    if isinstance(nest, dict):
        type_name, inner = "dict", [(repr(key), nest[key]) for key in sorted(nest)]
    else:
        type_name, inner = "list", [(str(index), part) for index, part in enumerate(nest)]
    paths: list[str] = []
    containers = [Container(path, type_name, tuple(key for key, _ in inner))]
    for key, part in inner:
        more, nested = flatten(f"{path}[{key}]", part)
        paths += more
        containers += nested
    return paths, containers


MAKERS = st.randoms(use_true_random=True).map(Maker)
SINGLES = MAKERS.map(lambda make: make.family(1)[0])
PAIRS = MAKERS.map(lambda make: make.family(2))
TRIPLES = MAKERS.map(lambda make: make.family(3))
LEAVES = MAKERS.map(lambda make: make.leaf("x"))


def same(a: Signature | None, b: Signature | None) -> bool:
    """Equal to a tracer: 1 and True are two leaves, but one value."""
    if a is None or b is None:
        return a is b
    return a.admits(b) and b.admits(a)


def kept_apart(a: Signature, b: Signature) -> bool:
    """TensorFlow joins no tensors of different names or spec classes, even where one admits the other."""
    pairs = zip(a.leaves, b.leaves, strict=False)
    return any(x.name != y.name or x.type_name != y.type_name for x, y in pairs if x.kind == y.kind == "tensor")


@lawful
@given(SINGLES)
def test_admits_is_reflexive(one: Signature) -> None:
    assert one.admits(one)


@lawful
@given(LEAVES, st.booleans())
def test_a_type_that_never_equals_itself_admits_nothing(leaf: Leaf, on_both_sides: bool) -> None:
    unequal = replace(leaf, unequal_by="Label.__eq__")
    other = unequal if on_both_sides else leaf
    assert not unequal.admits(other)
    assert not other.admits(unequal)
    assert unequal.join(other) is None
    assert other.join(unequal) is None


@lawful
@given(TRIPLES)
def test_admits_is_transitive(family: list[Signature]) -> None:
    a, b, c = family
    if a.admits(b) and b.admits(c):
        assert a.admits(c)


@lawful
@given(MAKERS)
def test_what_gives_up_shapes_admits_what_it_came_from(make: Maker) -> None:
    """The same, on chains that do admit each other."""
    (narrow,) = make.family(1)
    wide = make.relax(narrow)
    widest = make.relax(wide)
    assert wide.admits(narrow)
    assert widest.admits(wide)
    assert widest.admits(narrow)


@lawful
@given(PAIRS)
def test_join_is_an_upper_bound(family: list[Signature]) -> None:
    a, b = family
    both = a.join(b)
    if both is not None:
        assert both.admits(a)
        assert both.admits(b)
        assert both.structure == a.structure
        assert both.context == a.context


@lawful
@given(PAIRS)
def test_join_commutes(family: list[Signature]) -> None:
    a, b = family
    assert same(a.join(b), b.join(a))


@lawful
@given(SINGLES)
def test_join_is_idempotent(one: Signature) -> None:
    assert one.join(one) == one


@lawful
@given(TRIPLES)
def test_join_is_associative(family: list[Signature]) -> None:
    a, b, c = family
    ab, bc = a.join(b), b.join(c)
    left = ab.join(c) if ab is not None else None
    right = a.join(bc) if bc is not None else None
    assert same(left, right)


@lawful
@given(MAKERS)
def test_join_is_the_least_upper_bound(make: Maker) -> None:
    a, b = make.family(2)
    bound = make.relax(a)
    if bound.admits(a) and bound.admits(b) and not kept_apart(a, b):
        both = a.join(b)
        assert both is not None
        assert bound.admits(both)


@lawful
@given(PAIRS)
def test_there_is_no_join_only_where_nothing_that_could_be_given_up_would_help(family: list[Signature]) -> None:
    """Shapes are all that a trace can leave open."""
    a, b = family
    if a.join(b) is None and not kept_apart(a, b):
        for one in (a, b):
            widest = replace(one, leaves=tuple(replace(leaf, shape=None) for leaf in one.leaves))
            assert not (widest.admits(a) and widest.admits(b))


@lawful
@given(PAIRS)
def test_a_join_with_what_is_admitted_changes_nothing(family: list[Signature]) -> None:
    a, b = family
    if a.admits(b) and not kept_apart(a, b):
        assert same(a.join(b), a)


@lawful
@given(PAIRS)
def test_leaves_differ_exactly_where_they_are_not_admitted(family: list[Signature]) -> None:
    a, b = family
    for was, now in zip(a.leaves, b.leaves, strict=False):
        differences = list(was.differences(now))
        assert was.admits(now) == (differences == [])
        assert all(difference.was != difference.now for difference in differences if difference.aspect == "shape")


EQUAL = [(1, True), (0, False), (1, 1.0), (True, 1.0), (0.0, -0.0), (1, 1 + 0j), (2.0, 2), (10**18, 1e18)]
UNEQUAL = [
    (1, 2),
    (1, "1"),
    (True, "True"),
    ("a", "b"),
    (b"a", "a"),
    (1.5, 1),
    (2**53 + 1, 2.0**53),
    (0.1, 0.2),
    ("", 0),
]


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


def test_equality_of_python_values_is_transitive() -> None:
    """For every three of them; generated signatures seldom hold three equal values of three types."""
    leaves = [python("k", value) for value in LITERALS]
    for a, b, c in itertools.product(leaves, repeat=3):
        assert a.admits(c) or not (a.admits(b) and b.admits(c))


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


def test_a_named_trace_serves_an_unnamed_call_and_not_the_other_way_round() -> None:
    assert tensor("x", name="a").admits(tensor("x"))
    assert not tensor("x").admits(tensor("x", name="a"))
    assert not tensor("x", name="b").admits(tensor("x", name="a"))


def test_structure_and_context_are_part_of_the_question() -> None:
    one = signature(container("x", "list", "0"), tensor("x[0]", 2))
    as_tuple = signature(container("x", "tuple", "0"), tensor("x[0]", 2))
    longer = signature(container("x", "list", "0", "1"), tensor("x[0]", 2), tensor("x[1]", 2))
    elsewhere = signature(container("x", "list", "0"), tensor("x[0]", 2), graph="tf.Graph 1")
    for other in (as_tuple, longer, elsewhere):
        assert not one.admits(other)
        assert not other.admits(one)
        assert one.join(other) is None
