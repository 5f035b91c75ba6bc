"""What varied between the compilations of a function, as its causes tell it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from traceonce.facts import Cause, CauseCode
from traceonce.fix.case import Case

_DIMENSION = re.compile(r"(.+)\.shape\[(\d+)\]")
_LENGTH = re.compile(r"len\((.+)\)")
_NAME = re.compile(r"[^\W\d]\w*")
ALONE = {"0", "1"}  # sizes for which PyTorch compiles apart, dynamic or not


class Dimension(NamedTuple):
    """A dimension of a tensor that is given to the function; `path` is that of the tensor."""

    path: str
    axis: int
    cause: Cause


def varying_dimensions(case: Case) -> list[Dimension]:
    """Those of arguments, in the order of their causes."""
    found = []
    for cause in case.diagnosis.causes:
        match = _DIMENSION.fullmatch(cause.path) if cause.code is CauseCode.SHAPE else None
        if match is not None and is_argument(case, match[1]):
            found.append(Dimension(match[1], int(match[2]), cause))
    return found


def markable_dimensions(case: Case) -> list[Dimension]:
    """Those of tensors that are there in every call: not of an element of what is longer or shorter at times."""
    return [dimension for dimension in varying_dimensions(case) if not _lies_in_what_varies(case, dimension.path)]


def _lies_in_what_varies(case: Case, path: str) -> bool:
    """Does a list, a dict or an object around it have another length, or other keys, in some call? Or is it None?"""
    for cause in case.diagnosis.causes:
        length = _LENGTH.fullmatch(cause.path)
        if cause.code is CauseCode.KIND and (cause.path == path or _is_around(cause.path, path)):
            return True
        if cause.code is CauseCode.STRUCTURE and _is_around(length[1] if length else cause.path, path):
            return True
    around: dict[str, set[tuple[str, ...]]] = {}
    for event in case.events:
        for container in event.signature.structure:
            if container.path and _is_around(container.path, path):
                around.setdefault(container.path, set()).add(container.keys)
    return any(len(keys) > 1 for keys in around.values())


def _is_around(outer: str, path: str) -> bool:
    return path.startswith((f"{outer}[", f"{outer}."))


def treats_what_matters(case: Case, treated: Collection[Cause]) -> bool:
    """Is the most frequent cause among these? If not, only a run can tell whether treating them is worth it."""
    most = max((cause.count for cause in real_causes(case)), default=0)
    return bool(case.makings) or any(cause.count >= most for cause in treated)


def varying_numbers(case: Case) -> list[Cause]:
    """The causes that are another Python number: of an argument, of a module, of a global."""
    return [
        cause
        for cause in case.diagnosis.causes
        if cause.code in (CauseCode.VALUE, CauseCode.GUARD) and cause.type_name in ("int", "float")
    ]


def parameter_of(path: str) -> str | None:
    """`parts` of ``len(parts)``, ``parts[0].shape[1]``, ``parts.dtype``."""
    length = _LENGTH.fullmatch(path)
    root = _NAME.match(length[1] if length else path)
    return root[0] if root is not None else None


def is_argument(case: Case, path: str) -> bool:
    """Does the path start at a parameter of the function, and not at the object of a method?"""
    root = _NAME.match(path)
    return root is not None and root[0] in _parameters(case) and root[0] != "self"


def _parameters(case: Case) -> set[str]:
    containers = (container for event in case.events for container in event.signature.structure)
    return {name for container in containers if container.path == "" for name in container.keys}


def expect(case: Case, treated: Collection[Cause]) -> int | None:
    """The compilations to expect when these causes are gone, where they are all that there are: no replay counts them.

    The sizes 0 and 1 of a dimension are compiled apart in any case.
    """
    if any(cause not in treated for cause in real_causes(case)):
        return None
    alone = {
        (cause.path, size) for cause in treated if cause.code is CauseCode.SHAPE for size in ALONE & set(cause.values)
    }
    return 1 + len(alone)


def real_causes(case: Case) -> Iterator[Cause]:
    """All but the one that says what became of it."""
    return (cause for cause in case.diagnosis.causes if cause.code is not CauseCode.FELL_BACK)


def reasons(case: Case) -> Iterator[str]:
    """PyTorch's own words, of every compilation."""
    return (reason for event in case.events for reason in event.reasons)
