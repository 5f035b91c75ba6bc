"""`admits` and `join` say what TensorFlow's own types say, on generated pairs of types."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traceonce.facts import Signature
from traceonce.frameworks.tensorflow.signatures import SignatureReader

Build: TypeAlias = Callable[[Any], Any]

DTYPES = ["float32", "float32", "int32", "string"]
LITERALS = [
    0, 1, 2, True, False, 1.0, 0.0, -0.0, 2.5, math.nan, math.inf, 1 + 0j, complex(math.nan, 1), 2**53 + 1, 2.0**53,
    "", "a", "1", "True", "None", b"a", None, None, ...,
]  # fmt: skip


class Tensor(NamedTuple):
    shape: tuple[int | None, ...] | None
    dtype: str
    name: str | None


class Variable(NamedTuple):
    shape: tuple[int | None, ...] | None
    trainable: bool
    alias: int


class Composite(NamedTuple):
    kind: str
    shape: tuple[int | None, ...] | None
    dtype: str


class Literal(NamedTuple):
    value: Any


class Sequence(NamedTuple):
    kind: str
    parts: tuple[Description, ...]


class Fields(NamedTuple):
    """A dict, or a named tuple, with its keys in this order."""

    kind: str
    keys: tuple[str, ...]
    parts: tuple[Description, ...]


Description: TypeAlias = Tensor | Variable | Composite | Literal | Sequence | Fields


class Maker:
    """Describes types, and types that are much like them, from a seeded generator."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._pick = random.choice

    def pair(self) -> tuple[Description, Description]:
        first = self.describe(2)
        pair = [first, self.change(first)]
        self._random.shuffle(pair)
        return pair[0], pair[1]

    def describe(self, depth: int) -> Description:
        kind = self._pick(["tensor", "tensor", "literal", "list", "tuple", "dict", "named"][: 7 if depth else 3])
        if kind in ("list", "tuple"):
            return Sequence(kind, tuple(self.describe(depth - 1) for _ in range(self._pick([0, 1, 2, 2]))))
        if kind in ("dict", "named"):
            keys = tuple(self._random.sample(["a", "b", "c"], self._pick([1, 2, 2])))
            type_name = "dict" if kind == "dict" else self._pick(["Pair", "Box"])
            return Fields(type_name, keys, tuple(self.describe(depth - 1) for _ in keys))
        return self._leaf()

    def _leaf(self) -> Description:
        kind = self._pick(["tensor", "tensor", "tensor", "literal", "literal", "variable", "ragged", "sparse"])
        if kind == "literal":
            return Literal(self._pick(LITERALS))
        if kind == "variable":
            return Variable(self._shape(), self._pick([True, True, False]), self._pick([0, 0, 1]))
        if kind == "tensor":
            return Tensor(self._shape(), self._pick(DTYPES), self._pick([None, None, None, "a", "b"]))
        return Composite(kind, (self._dimension(), None), self._pick(DTYPES))

    def change(self, thing: Description) -> Description:
        """The same, or nearly."""
        if self._random.random() < 0.05:
            return self.describe(1)
        if isinstance(thing, Sequence):
            return self._change_sequence(thing)
        if isinstance(thing, Fields):
            return self._change_fields(thing)
        if isinstance(thing, Literal):
            return Literal(self._pick([thing.value, self._pick(LITERALS)]))
        shape = self._change_shape(thing.shape, fixed_rank=isinstance(thing, Composite))
        changed: Description = thing._replace(shape=shape)
        if self._random.random() < 0.15:
            other = self._leaf()
            if isinstance(other, Tensor) and isinstance(thing, Tensor):
                return self._pick([thing._replace(name=other.name), thing._replace(dtype=other.dtype)])
            return other
        return changed

    def _change_sequence(self, thing: Sequence) -> Sequence:
        kind = self._pick(["list", "tuple"]) if self._random.random() < 0.1 else thing.kind
        parts = tuple(map(self.change, thing.parts))
        return Sequence(kind, parts[:-1] if self._random.random() < 0.1 else parts)

    def _change_fields(self, thing: Fields) -> Fields:
        """Another order of the keys, too: it matters for a named tuple, and not for a dict."""
        order = list(range(len(thing.keys)))
        if thing.kind == "dict" or self._random.random() < 0.1:
            self._random.shuffle(order)
        if self._random.random() < 0.1:
            order.pop()
        kind = self._pick(["Pair", "Box"]) if thing.kind != "dict" and self._random.random() < 0.1 else thing.kind
        return Fields(kind, tuple(thing.keys[i] for i in order), tuple(self.change(thing.parts[i]) for i in order))

    def _change_shape(self, shape: tuple[int | None, ...] | None, *, fixed_rank: bool) -> tuple[int | None, ...] | None:
        if shape is None or (not fixed_rank and self._random.random() < 0.15):
            return self._shape()
        return tuple(self._pick([n, n, None, self._dimension()]) for n in shape)

    def _shape(self) -> tuple[int | None, ...] | None:
        rank = self._pick([None, 0, 1, 2, 2, 2])
        return None if rank is None else tuple(self._dimension() for _ in range(rank))

    def _dimension(self) -> int | None:
        return self._pick([1, 2, 3, None])


PAIRS = st.randoms(use_true_random=True).map(lambda random: Maker(random).pair())


@pytest.fixture(scope="session")
def build(tf: Any) -> Build:
    """Makes TensorFlow's type from a description."""
    from tensorflow.core.function.trace_type import default_types as types
    from tensorflow.python.ops.resource_variable_ops import VariableSpec

    def build_type(thing: Description) -> Any:
        match thing:
            case Tensor(shape, dtype, name):
                return tf.TensorSpec(shape, dtype, name)
            case Variable(shape, trainable, alias):
                return VariableSpec(shape, tf.float32, trainable, alias)
            case Composite("ragged", shape, dtype):
                return tf.RaggedTensorSpec(shape, dtype, ragged_rank=1)
            case Composite("sparse", shape, dtype):
                return tf.SparseTensorSpec(shape, dtype)
            case Literal(value):
                return types.Literal(value)
            case Sequence("list", parts):
                return types.List(*map(build_type, parts))
            case Sequence("tuple", parts):
                return types.Tuple(*map(build_type, parts))
            case Fields("dict", keys, parts):
                return types.Dict(dict(zip(keys, map(build_type, parts), strict=True)))
            case Fields(name, keys, parts):
                kind = collections.namedtuple(name, keys)  # type: ignore[misc]  # its name varies
                return types.NamedTuple.from_type_and_attributes(kind, tuple(map(build_type, parts)))
        raise AssertionError(thing)

    return build_type


def function_of(kind: Any) -> Any:
    """The type of a function whose one parameter, `x`, is of this type."""
    from tensorflow.core.function.polymorphism.function_type import FunctionType, Parameter

    return FunctionType([Parameter("x", Parameter.POSITIONAL_OR_KEYWORD, False, kind)])


def check_agreement(a_type: Any, b_type: Any) -> Signature | None:
    """Ask TensorFlow and ourselves the same questions, both ways round; return the join."""
    a_function, b_function = function_of(a_type), function_of(b_type)
    reader = SignatureReader()
    a, b = reader.read(a_function, None), reader.read(b_function, None)
    assert a.admits(b) == b_type.is_subtype_of(a_type) == b_function.is_supertype_of(a_function)
    assert b.admits(a) == a_type.is_subtype_of(b_type) == a_function.is_supertype_of(b_function)
    joined, common = a.join(b), a_function.most_specific_common_subtype([b_function])
    assert (joined is None) == (a_type.most_specific_common_supertype([b_type]) is None) == (common is None)
    if joined is not None:
        theirs = reader.read(common, None)
        assert joined.admits(theirs)
        assert theirs.admits(joined)
    return joined


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(pair=PAIRS)
def test_generated_types(build: Build, pair: tuple[Description, Description]) -> None:
    check_agreement(*map(build, pair))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(random=st.randoms(use_true_random=True))
def test_a_type_and_itself(build: Build, random: Random) -> None:
    thing = Maker(random).describe(2)
    joined = check_agreement(build(thing), build(thing))
    assert joined == SignatureReader().read(function_of(build(thing)), None)


@pytest.mark.parametrize("a", LITERALS, ids=repr)
def test_every_two_literals(tf: Any, a: Any) -> None:
    """Among them 1, True, 1.0 and 1+0j, which are one to TensorFlow, and nan, which equals itself there."""
    from tensorflow.core.function.trace_type import default_types as types

    for b in LITERALS:
        joined = check_agreement(types.Literal(a), types.Literal(b))
        both_nan = a != a and b != b
        assert (joined is not None) == (a == b or both_nan)


class Celsius(int):
    """An int by another name. It holds no weak references back, so TensorFlow takes it for a literal."""


CORNERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "texts that differ after many characters": (lambda t: t.Literal("a" * 200), lambda t: t.Literal("a" * 200 + "b")),
    "bytes that differ after many characters": (
        lambda t: t.Literal(b"a" * 200),
        lambda t: t.Literal(b"a" * 200 + b"b"),
    ),
    "long numbers that differ at the front": (lambda t: t.Literal(10**150), lambda t: t.Literal(2 * 10**150)),
    "long numbers that differ at the end": (lambda t: t.Literal(10**150), lambda t: t.Literal(10**150 + 1)),
    "a long number and a short one": (lambda t: t.Literal(10**150), lambda t: t.Literal(1)),
    "a subclass of int": (lambda t: t.Literal(Celsius(1)), lambda t: t.Literal(1)),
    "ranges that are equal": (lambda t: t.Literal(range(0, 3, 2)), lambda t: t.Literal(range(0, 4, 2))),
    "keys that are equal": (lambda t: t.Dict({1: t.Literal(0)}), lambda t: t.Dict({True: t.Literal(0)})),
    "keys that look alike, in another order": (
        lambda t: t.Dict({1: t.Literal("p"), "1": t.Literal("q")}),
        lambda t: t.Dict({"1": t.Literal("q"), 1: t.Literal("p")}),
    ),
    "an attrs class and a named tuple": (
        lambda t: t.Attrs("Pair", ("p",), (t.Literal(1),)),
        lambda t: t.NamedTuple("Pair", ("p",), (t.Literal(1),)),
    ),
    "no elements": (lambda t: t.List(), lambda t: t.Tuple()),
    "frozen sets": (lambda t: t.Literal(frozenset({1, 8})), lambda t: t.Literal(frozenset({8, 1}))),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_corners(tf: Any, corner: str) -> None:
    from tensorflow.core.function.trace_type import default_types as types

    a, b = CORNERS[corner]
    check_agreement(a(types), b(types))


class Plain:
    """Equal to itself alone."""


class Equal:
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize("kind", [Plain, Equal])
def test_living_objects(tf: Any, kind: type[Any]) -> None:
    from tensorflow.core.function.trace_type import from_value

    one, other = kind(), kind()
    assert check_agreement(from_value(one), from_value(one)) is not None
    assert (check_agreement(from_value(one), from_value(other)) is not None) == (kind is Equal)


def test_a_bounded_spec_against_a_plain_one(tf: Any) -> None:
    """A plain tensor can be used where a bounded one was traced, and the other way round: the bounds are ignored."""
    from tensorflow.python.framework.tensor import BoundedTensorSpec

    check_agreement(tf.TensorSpec([2]), BoundedTensorSpec([2], tf.float32, 0, 1))
