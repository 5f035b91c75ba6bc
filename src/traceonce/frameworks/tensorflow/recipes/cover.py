"""The least input signature that admits every call seen, as data and as its author would write it.

`None` stands only where a dimension varied. Python numbers cannot be in a signature: they must have been lifted to
scalar tensors before (`predicting.lift`), with the dtypes that `lifting` allows.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from traceonce.facts import Container, Leaf, Note, Signature
from traceonce.facts.signature import ARGUMENTS, KEYWORDS
from traceonce.fix.signatures.call_code import quoted
from traceonce.fix.signatures.leaves import at_their_defaults, by_path, top
from traceonce.frameworks.tensorflow.words import (
    ANY_KEYWORDS,
    CAPTURES_BY_REFERENCE,
    CONTAINERS_DIFFER,
    DTYPES_DIFFER,
    KEYS_DIFFER,
    KEYWORD_ONLY,
    KINDS_DIFFER,
    LENGTHS_DIFFER,
    NAMES_DIFFER,
    NO_CALL_SEEN,
    NOT_IN_A_SIGNATURE,
    PYTHON_STAYS_STATIC,
    STAYS_STATIC,
    STRUCTURE_DIFFERS,
    TOO_LARGE_AN_INTEGER,
)
from traceonce.words.notes import english_reason

_BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}
_WIDTH = 84  # of a signature on one line, with room for what stands before it


class NoSignature(Exception):  # noqa: N818  # a finding, told to the user
    """No one signature admits the calls, for this reason."""

    def __init__(self, reason: Note) -> None:
        self.reason = reason
        super().__init__(english_reason(reason))


@dataclass(frozen=True)
class Cover:
    """An input signature: the `parameters` that it names, their leaves and how they nest, by path."""

    parameters: tuple[str, ...]
    leaves: Mapping[str, Leaf]
    containers: Mapping[str, Container]

    @property
    def code(self) -> str:
        """The list that goes to the right of ``input_signature=``."""
        return _bracketed("[", [self._spell(path) for path in self._entries], "]", None)

    @property
    def layout(self) -> str:
        """The same for a file: over several lines where it is long."""
        if len(self.code) <= _WIDTH:
            return self.code
        return _bracketed("[", [self._spell(path, 4) for path in self._entries], "]", 0)

    @property
    def classes(self) -> frozenset[str]:
        """The named tuples that the code names, which have to be known where it stands."""
        plain = {*_BRACKETS, ARGUMENTS}
        used = (c for c in self.containers.values() if c.path and top(c.path) in self.parameters)
        return frozenset(container.type_name for container in used) - plain

    @property
    def open_shapes(self) -> dict[str, tuple[int | None, ...] | None]:
        """The tensors with a dimension that the signature leaves open, and their shapes."""
        tensors = ((path, leaf.shape) for path, leaf in self.leaves.items() if leaf.kind == "tensor")
        return {path: shape for path, shape in tensors if shape is None or None in shape}

    def apply(self, signature: Signature) -> Signature:
        """The request as the tracer sees it under this signature."""
        named = [leaf for path, leaf in self.leaves.items() if top(path) in self.parameters]
        others = [leaf for leaf in signature.leaves if top(leaf.path) not in self.parameters]
        return Signature((*named, *others), tuple(self.containers.values()), signature.context)

    def widen(self) -> Cover:
        """The same with every dimension open."""
        return replace(self, leaves={path: _open(leaf) for path, leaf in self.leaves.items()})

    @property
    def _entries(self) -> list[str]:
        """The path of each entry: one for a parameter, or, for ``*args``, one for each of them."""
        found: list[str] = []
        for name in self.parameters:
            container = self.containers.get(name)
            variadic = container is not None and container.type_name == ARGUMENTS
            found += [f"{name}[{key}]" for key in container.keys] if container is not None and variadic else [name]
        return found

    def _spell(self, path: str, indent: int | None = None) -> str:
        """The code for one path; with an indent it may take several lines."""
        container = self.containers.get(path)
        if container is None:
            return _spell_leaf(self.leaves[path])
        opening, closing = _BRACKETS.get(container.type_name, (f"{container.type_name}(", ")"))
        prefix, step = {"list": ("", "[{}]"), "tuple": ("", "[{}]"), "dict": ("{}: ", "[{}]")}.get(
            container.type_name, ("{}=", ".{}")
        )

        def parts(deeper: int | None) -> list[str]:
            named = [(prefix.format(quoted(key)), path + step.format(key)) for key in container.keys]
            return [f"{name}{self._spell(inner, deeper)}" for name, inner in named]

        one_line = _bracketed(opening, parts(None), closing, None)
        if indent is None or len(one_line) + indent <= _WIDTH:
            return one_line
        return _bracketed(opening, parts(indent + 4), closing, indent)


def _bracketed(opening: str, parts: Sequence[str], closing: str, indent: int | None) -> str:
    """The parts between brackets; with an indent, each on a line of its own."""
    if indent is not None and parts:
        lines = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
        return f"{opening}\n{lines}{' ' * indent}{closing}"
    comma = "," if opening == "(" and len(parts) == 1 else ""
    return f"{opening}{', '.join(parts)}{comma}{closing}"


def cover(signatures: Sequence[Signature]) -> Cover:
    """The least signature that admits all of `signatures`, or NoSignature."""
    structures = list(dict.fromkeys(signature.structure for signature in signatures))
    if len(structures) != 1:
        raise NoSignature(_structural_difference(structures) if structures else NO_CALL_SEEN())
    containers = {container.path: container for container in structures[0]}
    if any(" " in leaf.path for signature in signatures for leaf in signature.leaves):
        raise NoSignature(CAPTURES_BY_REFERENCE())
    columns = by_path(signatures)
    left_out = at_their_defaults(signatures)
    names = [name for name in _declared(containers, columns) if name not in left_out]
    _check_parameters(names, containers)
    named = {path: _join(column) for path, column in columns.items() if top(path) in names}
    used = {path: container for path, container in containers.items() if not path or _spellable(container, names)}
    return Cover(tuple(names), named, used)


def _join(leaves: Sequence[Leaf]) -> Leaf:
    joined: Leaf | None = leaves[0]
    for leaf in leaves[1:]:
        joined = joined.join(leaf) if joined is not None else None
    if joined is None or not _has_spec(joined):
        raise NoSignature(_why_not(leaves))
    return joined


def _has_spec(leaf: Leaf) -> bool:
    if leaf.kind == "tensor":
        return not leaf.type_name
    return leaf.kind == "spec" and leaf.type_name in ("SparseTensorSpec", "RaggedTensorSpec")


def _spell_leaf(leaf: Leaf) -> str:
    shape = "None" if leaf.shape is None else f"[{', '.join(str(size) for size in leaf.shape)}]"
    if leaf.type_name == "SparseTensorSpec":
        return f"tf.SparseTensorSpec({shape}, tf.{leaf.dtype})"
    if leaf.type_name == "RaggedTensorSpec":
        details = dict(part.split("=") for part in (leaf.value or "").split(", ") if "=" in part)
        splits = details.get("row_splits", "int64")
        narrow = "" if splits == "int64" else f", row_splits_dtype=tf.{splits}"
        return f"tf.RaggedTensorSpec({shape}, tf.{leaf.dtype}, ragged_rank={details['ragged_rank']}{narrow})"
    name = f", name={leaf.name!r}" if leaf.name else ""
    return f"tf.TensorSpec({shape}, tf.{leaf.dtype}{name})"


def _open(leaf: Leaf) -> Leaf:
    return msgspec.structs.replace(leaf, shape=tuple(None for _ in leaf.shape)) if leaf.shape is not None else leaf


def _declared(containers: Mapping[str, Container], columns: Mapping[str, object]) -> list[str]:
    """The parameters in their order, as declared, or else as their leaves come; ``self`` is no part of a signature."""
    names = containers[""].keys if "" in containers else tuple(dict.fromkeys(map(top, columns)))
    return [name for position, name in enumerate(names) if position or name != "self"]


def _check_parameters(names: Iterable[str], containers: Mapping[str, Container]) -> None:
    only = containers["*"].keys if "*" in containers else ()
    for name in names:
        if name in only:
            raise NoSignature(KEYWORD_ONLY(name=name))
        container = containers.get(name)
        if container is not None and container.type_name == KEYWORDS:
            raise NoSignature(ANY_KEYWORDS(name=name))


def _spellable(container: Container, names: Sequence[str]) -> bool:
    """Is it part of the signature? If so, it must be one that can be written."""
    if container.path in ("*", "=") or top(container.path) not in names:
        return False
    kind = container.type_name
    if kind in _BRACKETS or kind == ARGUMENTS:
        return True
    if not kind.isidentifier() or not all(key.isidentifier() and not keyword.iskeyword(key) for key in container.keys):
        raise NoSignature(NOT_IN_A_SIGNATURE(path=container.path, type=kind))
    return True


def _structural_difference(structures: Sequence[tuple[Container, ...]]) -> Note:
    nests = [{container.path: container for container in structure} for structure in structures]
    for path in nests[0]:
        keys = {nest[path].keys for nest in nests if path in nest}
        if len(keys) > 1 and path:
            same = len({len(some) for some in keys}) == 1
            by_key = same or nests[0][path].type_name == "dict"
            return KEYS_DIFFER(path=path) if by_key else LENGTHS_DIFFER(path=path)
        if len({nest[path].type_name for nest in nests if path in nest}) > 1:
            return CONTAINERS_DIFFER(path=path)
    return STRUCTURE_DIFFERS()


def _why_not(leaves: Sequence[Leaf]) -> Note:
    path = leaves[0].path
    kinds = {leaf.kind: leaf.describe() for leaf in leaves}
    if len(kinds) > 1:
        return KINDS_DIFFER(path=path, kinds=sorted(kinds.values()))
    dtypes = sorted({leaf.dtype for leaf in leaves if leaf.dtype})
    if len(dtypes) > 1:
        return DTYPES_DIFFER(path=path, dtypes=dtypes)
    names = sorted({leaf.name or "none" for leaf in leaves})
    if len(names) > 1:
        return NAMES_DIFFER(path=path, names=names)
    if leaves[0].kind == "python":
        types = sorted({leaf.type_name or "value" for leaf in leaves})
        if types == ["int"]:
            return TOO_LARGE_AN_INTEGER(path=path)
        return PYTHON_STAYS_STATIC(path=path, types=types)
    return STAYS_STATIC(path=path, what=leaves[0].describe())
