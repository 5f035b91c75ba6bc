"""The one signature that would have covered every call seen, where there is one, as its author would write it.

It is what the calls have in common, found without running anything: `None` only where a dimension varied, a scalar
tensor for a Python number. Whether the function's body can live with a tensor there is not known here, and is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traceonce.facts import Container, Leaf, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORD_ONLY, KEYWORDS, number

_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


class Covering(NamedTuple):
    """The decorator line, or None; and what it changes, or why there is none."""

    snippet: str | None
    note: str | None


class _NoCover(Exception):  # noqa: N818  # a finding, caught in this file
    """No one signature covers the calls; the message says why."""


def cover(signatures: Sequence[Signature]) -> Covering:
    """A `tf.function` input signature that admits every call in `signatures`."""
    lifted: list[str] = []
    try:
        arguments = list(_cover(signatures, lifted))
    except _NoCover as why:
        return Covering(None, f"no one signature covers the calls: {why}")
    note = "admits every call above; not tried"
    if lifted:
        what = f"{_enumerate(lifted)} would be {'a tensor' if len(lifted) == 1 else 'tensors'}"
        note += f". {what}: cast where it meets another dtype; it will not do where a Python number is needed"
    return Covering(f"@tf.function(input_signature=[{', '.join(arguments)}])", note)


def _cover(signatures: Sequence[Signature], lifted: list[str]) -> list[str]:
    structures = {signature.structure for signature in signatures}
    if len(structures) != 1:
        raise _NoCover("their structure differs")
    if len({tuple(leaf.path for leaf in signature.leaves) for signature in signatures}) != 1:
        raise _NoCover("some of them capture other values by reference")
    containers = {container.path: container for container in structures.pop()}
    left_out = _at_their_defaults(signatures, containers)
    specs: dict[str, str] = {}
    for leaves in zip(*(signature.leaves for signature in signatures), strict=True):
        path = leaves[0].path
        if path != "self" and path not in left_out:
            specs[path] = _spec(leaves, lifted)
    names = [name for name in _parameters(specs, containers) if name not in left_out]
    return [argument for name in names for argument in _arguments(name, specs, containers)]


def _at_their_defaults(signatures: Sequence[Signature], containers: dict[str, Container]) -> set[str]:
    """The last parameters, as far as every call had them at their defaults: a signature freezes them there."""
    declared = containers["="].keys if "=" in containers else ()
    parameters = containers[""].keys if "" in containers else ()
    defaults = dict(text.split("=", 1) for text in declared)
    found: set[str] = set()
    for name in reversed(parameters):
        leaves = [leaf for signature in signatures for leaf in signature.leaves if leaf.path == name]
        texts = {leaf.describe() for leaf in leaves if leaf.kind in ("python", "none")}
        if len(leaves) != len(signatures) or texts != {defaults.get(name)}:
            break
        found.add(name)
    return found


def _parameters(specs: dict[str, str], containers: dict[str, Container]) -> list[str]:
    """The parameters in their order, as declared, or else as their leaves come."""
    found = dict.fromkeys(_top(path) for path in specs)
    declared = containers.get("")
    return [name for name in declared.keys if name != "self"] if declared is not None else list(found)


def _spec(leaves: tuple[Leaf, ...], lifted: list[str]) -> str:
    first = leaves[0]
    joined: Leaf | None = first
    for leaf in leaves[1:]:
        joined = joined.join(leaf) if joined is not None else None
    if joined is not None and joined.kind == "tensor" and not joined.type_name:
        return f"tf.TensorSpec({_shape(joined)}, tf.{joined.dtype})"
    if joined is not None and joined.type_name == "SparseTensorSpec":
        return f"tf.SparseTensorSpec({_shape(joined)}, tf.{joined.dtype})"
    if joined is not None and joined.type_name == "RaggedTensorSpec":
        details = dict(part.split("=") for part in (joined.value or "").split(", ") if "=" in part)
        splits = details.get("row_splits", "int64")
        narrow = "" if splits == "int64" else f", row_splits_dtype=tf.{splits}"
        return f"tf.RaggedTensorSpec({_shape(joined)}, tf.{joined.dtype}, ragged_rank={details['ragged_rank']}{narrow})"
    if all(_is_number(leaf) or leaf.kind == "tensor" for leaf in leaves):
        dtype = _number_dtype(leaves)
        if dtype is not None:
            lifted.append(first.path)
            return f"tf.TensorSpec([], tf.{dtype})"
    raise _NoCover(_why_not(leaves))


def _is_number(leaf: Leaf) -> bool:
    return leaf.kind == "python" and leaf.type_name in ("int", "float")


def _number_dtype(leaves: tuple[Leaf, ...]) -> str | None:
    """The dtype for Python numbers, and for scalar tensors beside them: a number is cast to a float spec."""
    tensors = {(leaf.dtype, leaf.shape, leaf.name) for leaf in leaves if leaf.kind == "tensor"}
    if tensors:
        dtype, shape, name = next(iter(tensors))
        fits = len(tensors) == 1 and shape == () and name is None and (dtype or "").startswith("float")
        return dtype if fits else None
    if any(leaf.type_name == "float" for leaf in leaves):
        return "float32"
    for name, values in (("int32", _INT32), ("int64", _INT64)):
        if all(number(leaf) in values for leaf in leaves):
            return name
    raise _NoCover(f"{leaves[0].path} is beyond any integer dtype")


def _shape(leaf: Leaf) -> str:
    if leaf.shape is None:
        return "None"
    return "[" + ", ".join("None" if n is None else str(n) for n in leaf.shape) + "]"


def _why_not(leaves: tuple[Leaf, ...]) -> str:
    path = leaves[0].path
    kinds = {leaf.kind: leaf.describe() for leaf in leaves}
    if len(kinds) > 1:
        return f"{path} is {' or '.join(sorted(kinds.values()))}"
    dtypes = sorted({leaf.dtype for leaf in leaves if leaf.dtype})
    if len(dtypes) > 1:
        return f"{path} comes as {_enumerate(dtypes)}"
    names = sorted({leaf.name or "none" for leaf in leaves})
    if len(names) > 1:
        return f"{path} comes under the names {_enumerate(names)}"
    if leaves[0].kind == "python":
        return f"{path} is a {leaves[0].type_name}, which a signature cannot hold"
    return f"{path} is {leaves[0].describe()}, which a signature cannot hold"


def _enumerate(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def _top(path: str) -> str:
    """The parameter that a path starts from."""
    return path.partition("[")[0].partition(".")[0]


def _arguments(path: str, specs: dict[str, str], containers: dict[str, Container]) -> list[str]:
    """What a parameter contributes to the signature: one entry, or, for ``*args``, one for each."""
    if "*" in containers and path in containers["*"].keys:
        raise _NoCover(f"{path} is a {KEYWORD_ONLY} parameter, which a signature cannot name")
    container = containers.get(path)
    if container is not None and container.type_name == ARGUMENTS:
        return [_nest(f"{path}[{key}]", specs, containers) for key in container.keys]
    if " " in path:
        raise _NoCover("the function captures a value by reference")
    return [_nest(path, specs, containers)]


def _nest(path: str, specs: dict[str, str], containers: dict[str, Container]) -> str:
    container = containers.get(path)
    if container is None:
        return specs[path]
    if container.type_name in ("list", "tuple"):
        inner = ", ".join(_nest(f"{path}[{key}]", specs, containers) for key in container.keys)
        return f"[{inner}]" if container.type_name == "list" else f"({inner}{',' if len(container.keys) == 1 else ''})"
    if container.type_name == "dict":
        pairs = (f"{key}: {_nest(f'{path}[{key}]', specs, containers)}" for key in container.keys)
        return "{" + ", ".join(pairs) + "}"
    what = "**keyword arguments" if container.type_name == KEYWORDS else f"a {container.type_name}"
    raise _NoCover(f"{path} is {what}, for which no signature is spelt out here")
