"""Which function of a recording somebody means: by its name, and where several have it, by its place, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from traceonce.facts import Diagnosis, FunctionId
from traceonce.facts.event import package_path
from traceonce.serve.request_errors import NotFoundError

NAMED = 20  # functions, in a refusal
_LONGEST = 200  # characters of a name there


def choose(diagnoses: Sequence[Diagnosis], name: str) -> list[Diagnosis]:
    """The functions of this name, the whole or the last part of it: `NAME`, `NAME@FILE` or `NAME@FILE:LINE`."""
    chosen = [diagnosis for diagnosis in diagnoses if diagnosis.function.is_called(name)]
    if not chosen:
        called, _, place = name.rpartition("@")
        chosen = [d for d in diagnoses if d.function.is_called(called) and _lies_at(d.function, place)]
    if chosen:
        return chosen
    known = list(dict.fromkeys(diagnosis.function.name[:_LONGEST] for diagnosis in diagnoses))
    traced = f"it traced: {_listed(known)}" if known else "no function was traced in it"
    raise NotFoundError(f"There is no function {name!r} in this recording; {traced}.")


def choose_one(diagnoses: Sequence[Diagnosis], name: str) -> Diagnosis:
    """The function of this name, rather the whole than the last part of it; where several have it, they are named."""
    chosen = choose(diagnoses, name)
    chosen = [diagnosis for diagnosis in chosen if diagnosis.function.name == name] or chosen
    places = list(dict.fromkeys(name_with_place(diagnosis.function) for diagnosis in chosen))
    if len(places) > 1:
        raise NotFoundError(
            f"{name!r} matches {len(places)} functions in this recording; pick one (worst first): {_listed(places)}."
        )
    return chosen[0]


def name_with_place(function: FunctionId) -> str:
    """As `choose` understands it."""
    if not function.file:
        return function.name[:_LONGEST]
    line = f":{function.line}" if function.line else ""
    return f"{function.name[:_LONGEST]}@{package_path(function.file)[-_LONGEST:]}{line}"


def _lies_at(function: FunctionId, place: str) -> bool:
    file, colon, line = place.rpartition(":")
    if not (colon and line.isdecimal()):
        file, line = place, ""
    if not file or not function.file or (line and line != str(function.line)):
        return False
    parts, wanted = PurePosixPath(function.file).parts, PurePosixPath(file).parts
    return parts[-len(wanted) :] == wanted


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
