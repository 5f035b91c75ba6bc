"""The places of a function's signatures, and what stood there at each trace: the rows of the grid of what changed.

A place is named as the causes name it: ``step``, ``x.dtype``, ``x.shape[0]``, ``len(images)``, ``graph``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, ASPECTS, QUALITIES, describe_shape

MOST_PLACES = 60
LONGEST_TEXT = 300  # characters
ABSENT = -1
_SEQUENCES = ("list", "tuple", ARGUMENTS)


class ChangeGrid(NamedTuple):
    """`rows` has, for each signature, an index into `texts` per path (or ABSENT); what varied comes first.

    `constant` names all places that never changed, also those that are left out of `paths`.
    """

    paths: list[str]
    texts: list[str]
    rows: list[list[int]]
    constant: list[str]


def find_places(signatures: Sequence[Signature]) -> ChangeGrid:
    """What stood where. The order is that of the arguments, but for what varied."""
    mixed = _mixed_paths(signatures)
    numbers: dict[str, int] = {}
    columns: dict[str, dict[int, int]] = {}
    for position, signature in enumerate(signatures):
        for path, text in _read(signature, mixed):
            columns.setdefault(path, {})[position] = numbers.setdefault(text[:LONGEST_TEXT], len(numbers))
    varies = {path: _varies(column, len(signatures)) for path, column in columns.items()}
    varying = [path for path, does in varies.items() if does]
    constant = [path for path, does in varies.items() if not does]
    paths = [*varying, *constant][:MOST_PLACES]
    shown = [columns[path] for path in paths]
    rows = [[column.get(position, ABSENT) for column in shown] for position in range(len(signatures))]
    return ChangeGrid(paths, list(numbers), rows, constant)


def _varies(column: dict[int, int], signatures: int) -> bool:
    return len(column) < signatures or len(set(column.values())) > 1


def _mixed_paths(signatures: Sequence[Signature]) -> set[str]:
    """Paths that held things of different kinds, ranks or containers: there, the thing as a whole is a place, too.

    And the qualities of arguments that changed.
    """
    seen: dict[str, object] = {}
    mixed = set()
    for signature in signatures:
        for leaf in signature.leaves:
            for place, text in _qualities(leaf):
                if seen.setdefault(place, text) != text:
                    mixed.add(place)
            form = (leaf.kind, None if leaf.shape is None else len(leaf.shape))
            if seen.setdefault(leaf.path, form) != form:
                mixed.add(leaf.path)
        for container in signature.structure:
            if seen.setdefault(container.path, container.type_name) != container.type_name:
                mixed.add(container.path)
    return mixed


def _read(signature: Signature, mixed: Collection[str]) -> Iterator[tuple[str, str]]:
    for leaf in signature.leaves:
        yield from _read_leaf(leaf, mixed)
    for container in signature.structure:
        yield from _read_container(container, mixed)
    yield from signature.context.items()


def _read_leaf(leaf: Leaf, mixed: Collection[str]) -> Iterator[tuple[str, str]]:
    path = leaf.path
    if leaf.kind == "object":
        yield path, leaf.describe() if leaf.identity is None else f"{leaf.describe()} #{leaf.identity}"
    elif leaf.kind in ("python", "none", "spec") or path in mixed:
        yield path, leaf.describe()
    elif leaf.kind == "variable" and leaf.identity is not None:
        yield path, f"variable {leaf.identity}"
    if leaf.dtype is not None:
        yield f"{path}.dtype", leaf.dtype
        if not leaf.shape or path in mixed:
            yield f"{path}.shape", describe_shape(leaf.shape)
    for axis, size in enumerate(leaf.shape or ()):
        yield f"{path}.shape[{axis}]", "None" if size is None else str(size)
    yield from (quality for quality in _qualities(leaf) if quality[0] in mixed)
    if leaf.name:
        yield f"{path}.name", leaf.name
    if leaf.kind == "variable" and leaf.value:
        yield f"{path}.trainable", leaf.value


def _qualities(leaf: Leaf) -> Iterator[tuple[str, str]]:
    """What is a place only where it changes."""
    for aspect, field in QUALITIES.items():
        quality = getattr(leaf, field)
        contiguous = aspect == "stride" and _is_contiguous(leaf)
        yield leaf.path + ASPECTS[aspect], "contiguous" if contiguous else "?" if quality is None else str(quality)


def _is_contiguous(leaf: Leaf) -> bool:
    """Do its strides follow from its shape alone?"""
    expected = 1
    for size, stride in zip(reversed(leaf.shape or ()), reversed(leaf.stride or ()), strict=False):
        if stride != expected:
            return False
        expected *= max(size or 1, 1)
    return True


def _read_container(container: Container, mixed: Collection[str]) -> Iterator[tuple[str, str]]:
    if container.path in mixed:
        yield container.path, container.type_name
    if container.type_name in _SEQUENCES:
        yield f"len({container.path})", str(len(container.keys))
    elif container.path and container.path not in mixed:
        yield container.path, f"keys {', '.join(container.keys) or 'none'}"
