"""Leave it: a bounded, cheap set of traces needs no change, and is told so."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Diagnosis, Note, Verdict
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.words.notes.common import CAN_BE_IGNORED, CAN_BE_IGNORED_IN_CALLS, RETRACES_COST


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.verdict in (Verdict.BOUNDED, Verdict.OK):
        codes = tuple(dict.fromkeys(cause.code for cause in diagnosis.causes))
        yield Candidate("leave_it", "advice", codes, None, diagnosis.traces, None, tuple(_notes(diagnosis)))


def _notes(diagnosis: Diagnosis) -> Iterator[Note]:
    if diagnosis.calls:
        yield CAN_BE_IGNORED_IN_CALLS(traces=diagnosis.traces, calls=diagnosis.calls)
    else:
        yield CAN_BE_IGNORED(traces=diagnosis.traces)
    if diagnosis.retraces:
        yield RETRACES_COST(lost=diagnosis.lost_seconds)


RECIPE = Recipe(
    name="leave_it",
    title="Leave it",
    what="Changes nothing; explains why no change is needed and what the traces cost.",
    why="A few traces, all early or limited by design, cost less than any change to the program.",
    beware="The verdict covers the recorded run. If the calls of another run differ, check again.",
    propose=_propose,
)
