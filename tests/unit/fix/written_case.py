"""A case for a program that was never run: its places are read off the source, its causes are given."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import msgspec

from tests.places_by_ast import line_of, makings_of, sites_of
from traceonce.diagnosis.diagnose import diagnose
from traceonce.facts import Cause, CauseCode, Container, FunctionId, Leaf, Note, Recording, Signature, TraceEvent
from traceonce.fix.candidate import Candidate, Declined, Recipe
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits

FILE = "program.py"


def case_for(
    source: str,
    name: str,
    *causes: tuple[str, str] | Cause,
    leaves: Sequence[Sequence[Leaf]] = ((),),
    qualified: str | None = None,
    called: str | None = None,
    file: str = FILE,
    **fields: Any,
) -> Case:
    """A function `name` with these causes (code and path); `leaves` are those of each of its traces."""
    function = FunctionId(qualified or name, file, line_of(source, name))
    made = []
    for number, of_one in enumerate(leaves):
        parameters = Container("", "parameters", tuple(leaf.path for leaf in of_one))
        signature = Signature(tuple(of_one), (parameters,))
        made.append(TraceEvent(number, "tensorflow", function, signature, 1000.0 + number, process="1", **fields))
    diagnosis = diagnose(Recording(events=tuple(made), seconds=9.0, runs=("run",), processes=1))[0]
    given = [each if isinstance(each, Cause) else Cause(CauseCode(each[0]), each[1], "1", "2") for each in causes]
    diagnosis = msgspec.structs.replace(diagnosis, causes=tuple(given))
    return Case(diagnosis, tuple(made), makings_of(source, function, file), sites_of(source, function, file, called))


def written(recipe: Recipe, case: Case, *sources: str | tuple[str, str], skip: int = 0) -> str:
    """The program (the first source) with the first candidate that can be written; Declined with all reasons."""
    files = dict(each if isinstance(each, tuple) else (FILE, each) for each in sources)
    changed = all_written(recipe, case, files, skip=skip)
    return changed.get(next(iter(files)), next(iter(files.values())))


def all_written(recipe: Recipe, case: Case, files: dict[str, str], *, skip: int = 0) -> dict[str, str]:
    reasons: list[Note] = []
    candidates: list[Candidate] = [each for each in recipe.propose(case) if each.change is not None]
    for candidate in candidates[skip:]:
        edits = Edits({name: source.encode() for name, source in files.items()})
        assert candidate.change is not None
        try:
            candidate.change(edits)
            return {name: data.decode() for name, data in edits.results().items()}
        except Declined as why:
            reasons += why.reasons
    raise Declined(*reasons)


def text(source: str) -> str:
    """Source as it stands in a file, from a test that indents it."""
    return textwrap.dedent(source).lstrip()
