"""The one signature that would have covered every call seen, where there is one, written as its author would write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.facts import Container, Leaf, Signature

NUMBERS = {"int": "tf.int32", "float": "tf.float32"}


class Covering(NamedTuple):
    """The decorator line, or None; and why there is none, or what it changes."""

    snippet: str | None
    note: str | None


def cover(signatures: Sequence[Signature]) -> Covering:
    """A `tf.function` input signature that admits every call in `signatures`."""
    if not signatures:
        return Covering(None, None)
    structures = {signature.structure for signature in signatures}
    if len(structures) > 1:
        return Covering(None, "no one signature covers the calls: their structure differs")
    lifted: list[str] = []
    specs: dict[str, str] = {}
    for leaves in zip(*(signature.leaves for signature in signatures), strict=False):
        if leaves[0].path == "self":
            continue
        spec = _spec(leaves, lifted)
        if spec is None:
            return Covering(None, f"no one signature covers the calls: {_why_not(leaves)}")
        specs[leaves[0].path] = spec
    containers = {container.path: container for container in next(iter(structures))}
    if any(path not in containers and "[" not in path and "." not in path and " " in path for path in specs):
        return Covering(None, "no one signature covers the calls: the function captures values by reference")
    arguments = [_nest(path, specs, containers) for path in _top(specs, containers)]
    if any(argument is None for argument in arguments):
        return Covering(None, "no one signature covers the calls: an argument is of a type that a signature cannot spell")
    note = f"makes a tensor of the Python number {', '.join(lifted)}" if lifted else None
    return Covering(f"@tf.function(input_signature=[{', '.join(a for a in arguments if a)}])", note)


def _spec(leaves: tuple[Leaf, ...], lifted: list[str]) -> str | None:
    first = leaves[0]
    if all(leaf.kind == "tensor" and not leaf.type_name for leaf in leaves):
        joined: Leaf | None = first
        for leaf in leaves[1:]:
            joined = joined.join(leaf) if joined is not None else None
        return f"tf.TensorSpec({_shape(joined)}, tf.{joined.dtype})" if joined is not None else None
    if all(leaf.kind == "python" and leaf.type_name in NUMBERS for leaf in leaves):
        lifted.append(first.path)
        kinds = {leaf.type_name for leaf in leaves}
        return f"tf.TensorSpec([], {'tf.int32' if kinds == {'int'} else 'tf.float32'})"
    if all(leaf.kind == "spec" and leaf.type_name == "RaggedTensorSpec" and leaf.value == first.value for leaf in leaves):
        joined = first
        for leaf in leaves[1:]:
            joined = joined.join(leaf) if joined is not None else None
        if joined is not None:
            rank = (joined.value or "").partition("ragged_rank=")[2].partition(",")[0]
            return f"tf.RaggedTensorSpec({_shape(joined)}, tf.{joined.dtype}, ragged_rank={rank})"
    return None


def _shape(leaf: Leaf) -> str:
    if leaf.shape is None:
        return "None"
    return "[" + ", ".join("None" if n is None else str(n) for n in leaf.shape) + "]"


def _why_not(leaves: tuple[Leaf, ...]) -> str:
    path = leaves[0].path
    kinds = {leaf.kind for leaf in leaves}
    if len(kinds) > 1:
        return f"{path} is {' or '.join(sorted(leaf.describe() for leaf in {l.kind: l for l in leaves}.values()))}"
    if kinds == {"tensor"}:
        return f"{path} comes as {' and '.join(sorted({leaf.dtype or '?' for leaf in leaves}))}"
    if kinds == {"python"}:
        return f"{path} is a {leaves[0].type_name}, which a signature cannot hold"
    return f"{path} is {leaves[0].describe()}, which a signature cannot hold"


def _top(specs: dict[str, str], containers: dict[str, Container]) -> list[str]:
    """The parameters, in order: every path cut at its first step."""
    names: dict[str, None] = {}
    for path in specs:
        end = min((index for index in (path.find("["), path.find(".")) if index >= 0), default=len(path))
        names[path[:end]] = None
    return list(names)


def _nest(path: str, specs: dict[str, str], containers: dict[str, Container]) -> str | None:
    container = containers.get(path)
    if container is None:
        return specs.get(path)
    if container.type_name in ("list", "tuple"):
        parts = [_nest(f"{path}[{key}]", specs, containers) for key in container.keys]
        if any(part is None for part in parts):
            return None
        inner = ", ".join(part for part in parts if part)
        return f"[{inner}]" if container.type_name == "list" else f"({inner}{',' if len(parts) == 1 else ''})"
    if container.type_name == "dict":
        pairs = [(key, _nest(f"{path}[{key}]", specs, containers)) for key in container.keys]
        if any(part is None for _, part in pairs):
            return None
        return "{" + ", ".join(f"{key}: {part}" for key, part in pairs) + "}"
    return None
