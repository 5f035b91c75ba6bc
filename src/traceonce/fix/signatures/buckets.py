"""Dimensions that vary, and what the tracer would see if they were padded to the next power of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import Leaf, Note, Signature
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.signatures.leaves import by_path
from traceonce.words.notes.common import PADDED_SIZES


class VaryingDimension(NamedTuple):
    """A dimension that varies, with the sizes that it had, in order."""

    path: str
    axis: int
    sizes: tuple[int, ...]
    dtype: str | None

    def __str__(self) -> str:
        return f"{self.path}.shape[{self.axis}]"


def bucket(size: int) -> int:
    """The size that `padded` gives: the next power of two."""
    return 1 << (size - 1).bit_length()


def varying_places(signatures: Sequence[Signature]) -> list[VaryingDimension]:
    """The dimensions of dense tensors that were not of one size, where the tensor always had them."""
    places = []
    for path, leaves in by_path(signatures).items():
        if any(leaf.kind != "tensor" or leaf.type_name or leaf.shape is None for leaf in leaves):
            continue
        shapes = [leaf.shape for leaf in leaves if leaf.shape is not None]
        if len({len(shape) for shape in shapes}) != 1:
            continue
        for axis, column in enumerate(zip(*shapes, strict=True)):
            sizes = [size for size in column if size is not None]
            if len(sizes) == len(column) and len(set(sizes)) > 1:
                places.append(VaryingDimension(path, axis, tuple(dict.fromkeys(sizes)), leaves[0].dtype))
    return places


def pad(signature: Signature, places: Iterable[VaryingDimension], to: Callable[[int], int] = bucket) -> Signature:
    """What the tracer would see if these dimensions were padded."""
    axes = {(place.path, place.axis) for place in places}

    def padded(leaf: Leaf) -> Leaf:
        if leaf.kind != "tensor" or leaf.shape is None:
            return leaf
        sizes = enumerate(leaf.shape)
        shape = tuple(to(n) if n is not None and (leaf.path, axis) in axes else n for axis, n in sizes)
        return msgspec.structs.replace(leaf, shape=shape)

    return msgspec.structs.replace(signature, leaves=tuple(map(padded, signature.leaves)))


def note_buckets(places: Sequence[VaryingDimension], to: Callable[[int], int] = bucket) -> Iterator[Note]:
    """``x.shape[1] would be 4, 8, 16 instead of 3, 4, 5, 9``."""
    for place in places:
        now = sorted({to(size) for size in place.sizes})
        yield PADDED_SIZES(place=str(place), padded=enumerate_values(now), seen=enumerate_values(place.sizes))
