"""The signatures that a replayed function has traced for, indexed, so that thousands are asked in no time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from traceonce.facts import Leaf, Signature
from traceonce.facts.signature import NUMBERS, number

Key: TypeAlias = tuple[Hashable, ...]


class TraceCache:
    """A cache of traces. Only signatures that are the same but for their shapes can admit each other, or be joined.

    Of those, one without an open dimension admits its own shapes only.
    """

    def __init__(self) -> None:
        self._alike: dict[Key, list[Signature]] = {}
        self._closed: dict[tuple[Key, Key], list[Signature]] = {}
        self._open: dict[Key, list[Signature]] = {}

    def add(self, signature: Signature) -> None:
        key, shapes = _without_shapes(signature), _shapes(signature)
        self._alike.setdefault(key, []).append(signature)
        shaped = [leaf.shape for leaf in signature.leaves if leaf.kind in ("tensor", "variable", "spec")]
        if any(shape is None or None in shape for shape in shaped):
            self._open.setdefault(key, []).append(signature)
        else:
            self._closed.setdefault((key, shapes), []).append(signature)

    def admits(self, request: Signature) -> bool:
        key = _without_shapes(request)
        same = self._closed.get((key, _shapes(request)), ())
        return any(known.admits(request) for known in (*same, *self._open.get(key, ())))

    def generalise(self, request: Signature) -> Signature:
        """The request, joined with the signatures that it can be joined with, oldest first."""
        for known in self._alike.get(_without_shapes(request), ()):
            request = request.join(known) or request
        return request


def _shapes(signature: Signature) -> Key:
    return tuple(leaf.shape for leaf in signature.leaves)


def _without_shapes(signature: Signature) -> Key:
    context = tuple(sorted(signature.context.items()))
    return (context, signature.structure, *map(_leaf_without_shape, signature.leaves))


def _leaf_without_shape(leaf: Leaf) -> Key:
    """What two leaves must have in common for one to admit the other (they may still differ in more)."""
    if leaf.kind != "python":
        return (leaf.path, leaf.kind, leaf.dtype, leaf.identity, leaf.value if leaf.kind != "object" else None)
    value = number(leaf)
    if value is not None and value == value:  # nan is not equal to itself, but a tracer knows it by its text
        return (leaf.path, leaf.kind, value)
    return (leaf.path, leaf.kind, leaf.value, leaf.type_name in NUMBERS)
