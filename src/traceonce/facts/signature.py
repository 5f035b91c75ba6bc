"""What a call looks like to a tracer, as plain data, and the two questions one can ask of it.

A `Signature` is a flattened view of the arguments: the *containers* (which say how the arguments nest), the *leaves*
(what sits at the ends) and the *context* (what else the tracer keyed on: graph, scope, devices). Signatures form a
lattice: ``a.admits(b)`` says that a trace made for ``a`` can serve the call ``b``; ``a.join(b)`` is the least signature
that admits both. "Why did it trace again?" is *not admits*; "what would have covered both?" is *join*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["tensor", "python", "object", "variable", "none", "spec"]
Shape: TypeAlias = tuple[int | None, ...]

# The types of the containers that a function's own parameters are.
PARAMETERS, ARGUMENTS, KEYWORDS, KEYWORD_ONLY = "parameters", "*args", "**kwargs", "keyword-only"
DEFAULTS = "defaults"  # its keys read `name=value`
NUMBERS = {"bool", "int", "float", "complex"}


class Leaf(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One end of the argument tree.

    `shape` is None where the rank is unknown (tensors) or where there is none to speak of. `identity` tells objects
    apart (and, for variables, which other argument is the same variable). `unequal_by` names the ``__eq__`` of a type
    that does not even equal itself when built twice from one value. `contents` are the attributes of an object, if all
    of them are plain values (``depth=3, lr=0.1``): no tracer looks at them, but a repair may. `weak`: its dtype gives
    way to that of others, as that of a Python number may. `static`: a value that the framework was told to compile in;
    `identity` is equal for equal ones. `sharding` says on which devices a tensor lies. `stride` and `requires_grad`
    are known where the framework guards them.
    """

    path: str
    kind: Kind
    dtype: str | None = None
    shape: Shape | None = None
    value: str | None = None
    type_name: str | None = None
    identity: int | None = None
    name: str | None = None
    unequal_by: str | None = None
    contents: str | None = None
    weak: bool = False
    static: bool = False
    sharding: str | None = None
    stride: tuple[int, ...] | None = None
    requires_grad: bool = False

    def admits(self, other: Leaf) -> bool:
        """Could a trace made for this leaf serve `other` in its place?"""
        return next(self.differences(other), None) is None

    def differences(self, other: Leaf) -> Iterator[Difference]:
        """Yield each aspect in which `other` cannot use a trace made for this leaf."""
        return _leaf_differences(self, other)

    def join(self, other: Leaf) -> Leaf | None:
        """The least leaf that admits both, or None where only two traces can serve them."""
        if self.kind != other.kind or self.unequal_by or other.unequal_by or self.name != other.name:
            return None
        if self.kind == "tensor" and self.type_name != other.type_name:
            return None
        shape = _join_shapes(self.shape, other.shape)
        wider = msgspec.structs.replace(self, shape=shape)
        return wider if wider.admits(other) else None

    def describe(self) -> str:
        """The leaf in a few characters, as a person would write it."""
        if self.kind == "none":
            return "None"
        if self.kind in ("tensor", "variable"):
            text = f"{self.dtype}{describe_shape(self.shape)}"
            return text if self.kind == "tensor" else f"variable {text}"
        if self.kind == "spec":
            dense = f" {self.dtype}{describe_shape(self.shape)}" if self.dtype else ""
            return f"{self.type_name}{dense}" + (f" ({self.value})" if self.value else "")
        if self.kind == "object":
            return self.value or f"{self.type_name} object"
        return self.value or "?"


# What can differ of an argument, and what stands behind its path where that is named: `x.dtype`, `x.shape[0]`.
ASPECTS = {
    "kind": "",
    "type": "",
    "dtype": ".dtype",
    "rank": ".shape",
    "shape": ".shape[{axis}]",
    "value": "",
    "name": ".name",
    "identity": "",
    "unequal": "",
    "aliasing": "",
    "trainable": ".trainable",
    "weak_type": ".weak_type",
    "static": "",
    "sharding": ".sharding",
    "stride": ".stride()",
    "requires_grad": ".requires_grad",
}
# Those that are the same for most arguments of most programs, and the fields that they are kept in.
QUALITIES = {"weak_type": "weak", "sharding": "sharding", "stride": "stride", "requires_grad": "requires_grad"}


class Difference(msgspec.Struct, frozen=True):
    """One way in which a call could not use an earlier trace, by its name in `ASPECTS`; `axis`: of one dimension."""

    aspect: str
    was: str
    now: str
    axis: int | None = None

    def place(self, path: str) -> str:
        """What differs, of the argument with this path."""
        return path + ASPECTS[self.aspect].format(axis=self.axis)


def _leaf_differences(a: Leaf, b: Leaf) -> Iterator[Difference]:
    if a.static and b.static:  # compared by == and hash, and so is their identity
        if (a.kind, a.value, a.type_name, a.identity) != (b.kind, b.value, b.type_name, b.identity):
            yield Difference("static", a.describe(), b.describe())
        return
    if a.kind != b.kind:
        yield Difference("kind", a.describe(), b.describe())
        return
    if a.unequal_by or b.unequal_by:
        if a.type_name != b.type_name:
            yield Difference("type", a.describe(), b.describe())
        else:
            yield Difference("unequal", a.describe(), b.describe())
        return
    if a.kind == "object":
        if a.identity != b.identity:
            yield Difference("identity", a.describe(), b.describe())
        return
    if a.kind == "python":
        if not same_literal(a, b):
            yield Difference("value", a.describe(), b.describe())
        return
    if a.type_name != b.type_name and a.kind != "tensor":  # a bounded tensor spec admits a plain one, and is admitted
        yield Difference("type", a.describe(), b.describe())
        return
    if b.name and a.name != b.name:
        yield Difference("name", a.name or "unnamed", b.name)
    if a.dtype != b.dtype:
        yield Difference("dtype", a.dtype or "?", b.dtype or "?")
    yield from _shape_differences(a.shape, b.shape)
    if a.weak != b.weak and a.dtype == b.dtype:
        yield Difference("weak_type", str(a.weak), str(b.weak))
    if a.sharding != b.sharding:
        yield Difference("sharding", a.sharding or "no mesh", b.sharding or "no mesh")
    if a.stride != b.stride and a.shape == b.shape:
        yield Difference("stride", str(a.stride), str(b.stride))
    if a.requires_grad != b.requires_grad:
        yield Difference("requires_grad", str(a.requires_grad), str(b.requires_grad))
    if a.value != b.value:
        yield Difference("trainable" if a.kind == "variable" else "value", a.value or "", b.value or "")
    if a.identity != b.identity:
        yield Difference("aliasing", f"variable {a.identity}", f"variable {b.identity}")


def _shape_differences(a: Shape | None, b: Shape | None) -> Iterator[Difference]:
    if a is None:
        return
    if b is None or len(a) != len(b):
        yield Difference("rank", describe_shape(a), describe_shape(b))
        return
    for axis, (was, now) in enumerate(zip(a, b, strict=True)):
        if was is not None and was != now:
            yield Difference("shape", str(was), str(now), axis)


def _join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def same_literal(a: Leaf, b: Leaf) -> bool:
    """Are two Python values one to the tracer? Yes, where ``==`` says so: 1, True and 1.0 are the same value."""
    if a.value == b.value:
        return a.type_name == b.type_name or (a.type_name in NUMBERS) == (b.type_name in NUMBERS)
    one, other = number(a), number(b)
    return one is not None and other is not None and one == other


def number(leaf: Leaf) -> complex | None:
    """The number that a Python leaf holds, or None where it holds none."""
    if leaf.value is None or leaf.type_name not in NUMBERS:
        return None
    try:
        if leaf.type_name == "bool":
            return leaf.value == "True"
        if leaf.type_name == "int":
            return int(leaf.value)
        return float(leaf.value) if leaf.type_name == "float" else complex(leaf.value)
    except ValueError:  # a text that was shortened for storage
        return None


def describe_shape(shape: Shape | None) -> str:
    if shape is None:
        return "[?]"
    return "[" + ",".join("None" if n is None else str(n) for n in shape) + "]"


class Container(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A place where arguments nest: its type, and its keys in the order in which they are looked at."""

    path: str
    type_name: str
    keys: tuple[str, ...] = ()


class Signature(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """All that a tracer keys a trace on."""

    leaves: tuple[Leaf, ...] = ()
    structure: tuple[Container, ...] = ()
    context: dict[str, str] = {}

    def admits(self, other: Signature) -> bool:
        """Could the call `other` reuse a trace made for this signature?"""
        return (
            self.context == other.context
            and self.structure == other.structure
            and len(self.leaves) == len(other.leaves)
            and all(a.path == b.path and a.admits(b) for a, b in zip(self.leaves, other.leaves, strict=True))
        )

    def join(self, other: Signature) -> Signature | None:
        """The least signature that admits both calls, or None where no one signature can."""
        if (
            self.context != other.context
            or self.structure != other.structure
            or [leaf.path for leaf in self.leaves] != [leaf.path for leaf in other.leaves]
        ):
            return None
        joined = [a.join(b) for a, b in zip(self.leaves, other.leaves, strict=True)]
        if any(leaf is None for leaf in joined):
            return None
        return Signature(tuple(leaf for leaf in joined if leaf is not None), self.structure, self.context)
