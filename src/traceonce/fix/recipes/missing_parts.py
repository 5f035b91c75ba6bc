"""What comes with some calls only (a tensor or None, a key of a dict), and is filled in for the others.

What fills it must mean nothing to the function: zeros for a summand, ones for a factor. A run shows which do.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from traceonce.facts import Leaf, Signature
from traceonce.facts.signature import PARAMETERS
from traceonce.fix.candidate import Change, Declined, Effect
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import quoted
from traceonce.fix.signatures.leaves import leaves_at, top
from traceonce.fix.signatures.prediction import SignatureChange
from traceonce.words.notes.declined import EVALUATED_TWICE

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits

_NO_NUMBERS = ("string", "resource", "variant")
_SIMPLE = r"[\w.]+"  # what may be evaluated twice
_MOST = 3  # gaps for which zeros and ones are mixed
_KINDS = ("zeros", "ones")


class Gap(NamedTuple):
    """A tensor that some calls lack, by its path; `holder` is the dict that it is a key of, None for a parameter.

    `weak`: the dtype of those that are given is weak.
    """

    path: str
    holder: str | None
    key: str
    dtype: str
    shape: tuple[int, ...]
    weak: bool = False


# What fills each gap, as it is written.
Fillers: TypeAlias = Mapping[Gap, str]


def find_gaps(signatures: Sequence[Signature]) -> list[Gap]:
    return [*_nones(signatures), *_keys(signatures)]


def ways_to_fill(gaps: Sequence[Gap], filler: Callable[[Gap, str], str]) -> Iterator[tuple[Fillers, frozenset[Effect]]]:
    """Zeros everywhere, ones everywhere, and where there are few gaps, both mixed. `filler` writes one of them."""
    same = [(kind,) * len(gaps) for kind in _KINDS]
    mixed = itertools.product(_KINDS, repeat=len(gaps)) if len(gaps) <= _MOST else ()
    for kinds in dict.fromkeys([*same, *mixed]):
        chosen = dict(zip(gaps, kinds, strict=True))
        fillers = {gap: filler(gap, kind) for gap, kind in chosen.items()}
        yield fillers, frozenset(Effect("filled", gap.path, kind) for gap, kind in chosen.items())


def _nones(signatures: Sequence[Signature]) -> Iterator[Gap]:
    """Parameters that are None or a tensor."""
    paths = dict.fromkeys(leaf.path for signature in signatures for leaf in signature.leaves if leaf.kind == "none")
    for path in paths:
        leaves = leaves_at(signatures, path)
        tensors = [leaf for leaf in leaves if leaf.kind == "tensor"]
        known = _common(tensors)
        if known is not None and top(path) == path and all(leaf.kind in ("none", "tensor") for leaf in leaves):
            yield Gap(path, None, path, *known)


def _keys(signatures: Sequence[Signature]) -> Iterator[Gap]:
    """Keys that a dict, given as a parameter, has in some calls only."""
    seen: dict[str, list[tuple[str, ...]]] = {}
    for container in (container for signature in signatures for container in signature.structure):
        if container.type_name == "dict" and top(container.path) == container.path:
            seen.setdefault(container.path, []).append(container.keys)
    for path, keys in seen.items():
        if len(keys) != len(signatures):
            continue
        for key in dict.fromkeys(key for some in keys for key in some):
            known = _common(leaves_at(signatures, f"{path}[{key}]"))
            if all(key in some for some in keys):
                continue
            if known is None:
                return  # something that nests, or is no tensor
            yield Gap(f"{path}[{key}]", path, key, *known)


def _common(tensors: Sequence[Leaf]) -> tuple[str, tuple[int, ...], bool] | None:
    """The dtype of all, and their shape with 1 for each size that varies, so that it goes with any."""
    if not tensors or any(
        leaf.kind != "tensor" or leaf.type_name not in (None, "Tensor") or leaf.shape is None for leaf in tensors
    ):
        return None
    dtypes = {leaf.dtype for leaf in tensors}
    shapes = [leaf.shape or () for leaf in tensors]
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None or dtype in _NO_NUMBERS or len({len(shape) for shape in shapes}) > 1:
        return None
    sizes = [{shape[axis] for shape in shapes} for axis in range(len(shapes[0]))]
    shape = tuple(next(iter(some)) or 1 if len(some) == 1 else 1 for some in sizes)
    return dtype, shape, all(leaf.weak for leaf in tensors)


def filled(gaps: Sequence[Gap]) -> SignatureChange:
    def fill(signature: Signature) -> Signature:
        present = {leaf.path for leaf in signature.leaves if leaf.kind != "none"}
        missing = [gap for gap in gaps if gap.path not in present]
        gone = {gap.path for gap in missing}
        leaves = [leaf for leaf in signature.leaves if leaf.path not in gone]
        leaves += [Leaf(gap.path, "tensor", dtype=gap.dtype, shape=gap.shape, weak=gap.weak) for gap in missing]
        keys = {gap.holder: [each.key for each in missing if each.holder == gap.holder] for gap in missing}
        structure = tuple(
            msgspec.structs.replace(each, keys=tuple(sorted({*each.keys, *keys[each.path]})))
            if each.path in keys and each.type_name != PARAMETERS
            else each
            for each in signature.structure
        )
        return msgspec.structs.replace(
            signature, leaves=tuple(sorted(leaves, key=lambda leaf: leaf.path)), structure=structure
        )

    return fill


def shown(fillers: Fillers) -> dict[str, str]:
    """What would be given for each path."""
    given = {
        gap.path: f"{code} if {gap.path} is None else {gap.path}" for gap, code in fillers.items() if not gap.holder
    }
    return {**given, **{path: _entries(fillers, some, path) for path, some in _by_holder(fillers).items()}}


def _by_holder(fillers: Fillers) -> dict[str, list[Gap]]:
    found: dict[str, list[Gap]] = {}
    for gap in fillers:
        if gap.holder is not None:
            found.setdefault(gap.holder, []).append(gap)
    return found


def _entries(fillers: Fillers, gaps: Sequence[Gap], value: str) -> str:
    return f"{{{', '.join(f'{quoted(gap.key)}: {fillers[gap]}' for gap in gaps)}, **{value}}}"


def filling(case: Case, fillers: Fillers) -> Change:
    """Fill the gaps at every call."""

    def change(edits: Edits) -> None:
        from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

        for holder, some in _by_holder(fillers).items():
            for argument in find_arguments(case, edits, holder):
                wrap_argument(edits, argument, _entries(fillers, some, "value"))
        for gap, code in fillers.items():
            if gap.holder is None:
                _fill_parameter(case, edits, gap, code)

    return change


def _fill_parameter(case: Case, edits: Edits, gap: Gap, filler: str) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, find_call, wrap_argument

    given = find_arguments(case, edits, gap.path)
    for argument in given:
        kinds = argument.site.arguments.get(gap.path, ())
        code = argument.module.code(argument.node.value)
        if kinds and "NoneType" not in kinds:
            continue
        if code == "None":
            wrap_argument(edits, argument, filler)
        elif re.fullmatch(_SIMPLE, code):
            wrap_argument(edits, argument, f"{filler} if value is None else value")
        else:
            place = f"{argument.module.file}:{argument.module.line(argument.node)}"
            raise Declined(EVALUATED_TWICE(code=code, place=place))
    calls = [argument.call for argument in given]
    for site in case.sites:
        call, module = find_call(case, edits, site), edits.module(site.file)
        if call not in calls:
            calls.append(call)
            edits.amend(module, call, _giving(gap.path, edits.expression(module, filler, call)))


def _giving(name: str, value: cst.BaseExpression) -> Callable[[cst.Call], cst.Call]:
    from traceonce.fix.source.keywords import with_keyword

    return lambda call: with_keyword(call, name, value)
