"""What was seen at each path of the recorded calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from traceonce.facts import Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORDS


def top(path: str) -> str:
    """The parameter that a path starts from."""
    return path.partition("[")[0].partition(".")[0]


def by_path(signatures: Iterable[Signature]) -> dict[str, list[Leaf]]:
    """What was seen at each path, call by call."""
    columns: dict[str, list[Leaf]] = {}
    for leaf in (leaf for signature in signatures for leaf in signature.leaves):
        columns.setdefault(leaf.path, []).append(leaf)
    return columns


def leaves_at(signatures: Iterable[Signature], path: str) -> list[Leaf]:
    return [leaf for signature in signatures for leaf in signature.leaves if leaf.path == path]


def at_their_defaults(signatures: Sequence[Signature]) -> frozenset[str]:
    """The parameters that a signature need not name: keyword-only or last ones, if always at their defaults."""
    containers = {container.path: container for container in signatures[0].structure}
    declared = containers["="].keys if "=" in containers else ()
    parameters = containers[""].keys if "" in containers else ()
    only = containers["*"].keys if "*" in containers else ()
    defaults = dict(text.split("=", 1) for text in declared)
    columns = by_path(signatures)
    found: set[str] = set()
    trailing = True
    for name in reversed(parameters):
        container = containers.get(name)
        if container is not None and container.type_name in (ARGUMENTS, KEYWORDS) and not container.keys:
            found.add(name)
            continue
        leaves = columns.get(name, [])
        texts = {leaf.describe() if leaf.kind in ("python", "none") else None for leaf in leaves}
        frozen = name in defaults and len(leaves) == len(signatures) and texts == {defaults[name]}
        trailing = trailing and (frozen or name in only)
        if frozen and (trailing or name in only):
            found.add(name)
    return frozenset(found)
