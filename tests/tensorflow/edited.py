"""A program is run and watched, one candidate is written into it, and what comes out is run and watched again."""

from __future__ import annotations

import contextlib
import io
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import traceonce
from tests.places_by_ast import makings_of, sites_of
from traceonce.diagnosis.diagnose import diagnose, explain_events
from traceonce.facts import Diagnosis, Note
from traceonce.fix.candidate import Candidate, Declined, Propose
from traceonce.fix.case import Case
from traceonce.fix.source.edits import Edits

PROGRAM = "program.py"


class Seen(NamedTuple):
    """A run: what was printed, and the functions that were traced."""

    printed: str
    diagnoses: list[Diagnosis]
    case: Callable[..., Case]

    def traces(self, function: str) -> int:
        return next(d.traces for d in self.diagnoses if d.function.short_name == function)


def run(source: str, folder: Path, *, fails: bool = False) -> Seen:
    """Run a program of the given source, as a script that lies in the (working) folder. It may have to fail."""
    (folder / PROGRAM).write_text(source)
    printed = io.StringIO()
    error = pytest.raises((TypeError, ValueError, AttributeError)) if fails else contextlib.nullcontext()
    with traceonce.watch() as watched, contextlib.redirect_stdout(printed), error:
        runpy.run_path(str(folder / PROGRAM), run_name="__main__")
    diagnoses = diagnose(watched.recording)

    def case(function: str, called: str | None = None) -> Case:
        diagnosis = next(d for d in diagnoses if d.function.short_name == function)
        mine = [item.event for item in explain_events(watched.recording) if item.event.function == diagnosis.function]
        events = tuple(event for event in mine if event.kind == "trace" and event.phase != "internal")
        if diagnosis.function.library:
            return Case(diagnosis, events)
        makings = makings_of(source, diagnosis.function, PROGRAM)
        return Case(diagnosis, events, makings, sites_of(source, diagnosis.function, PROGRAM, called))

    return Seen(printed.getvalue(), diagnoses, case)


def write(case: Case, candidate: Candidate, source: str) -> str:
    """The program with the candidate written into it; raises Declined where it cannot be."""
    edits = Edits({PROGRAM: source.encode()})
    assert candidate.change is not None
    candidate.change(edits)
    return edits.results()[PROGRAM].decode()


def first_written(propose: Propose, case: Case, source: str) -> tuple[Candidate, str]:
    """The first candidate that can be written, and the program with it."""
    reasons: list[Note] = []
    for candidate in propose(case):
        try:
            return candidate, write(case, candidate, source)
        except Declined as why:
            reasons += why.reasons
    raise Declined(*reasons)
