"""What a report says of repairs: for each function the best candidate, with the traces that it would leave.

Nothing is run here and no source is read: what is proposed comes from the recorded signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from traceonce.facts import Diagnosis, Fix, TraceEvent, Verdict
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.kit import has_kit
from traceonce.words.notes import english_note, with_notes
from traceonce.words.notes.diagnoses import LOOKING_FAILED, TOO_MUCH_VARIES

MOST_LOOKS = 5_000_000  # at arguments, where each cause is tried on each trace: more would take minutes


def suggest(
    diagnosed: Iterable[tuple[Diagnosis, Sequence[TraceEvent]]], environment: Mapping[str, str]
) -> list[Diagnosis]:
    """The diagnoses, each with the best candidate for it, if there is one."""
    return [_with_fix(make_case(diagnosis, events, environment)) for diagnosis, events in diagnosed]


def make_case(diagnosis: Diagnosis, events: Sequence[TraceEvent], environment: Mapping[str, str]) -> Case:
    """The case of a recording: neither where the function was made nor its call sites are known."""
    traces = tuple(event for event in events if event.kind == "trace")
    compilations = tuple(event for event in events if event.kind == "compile")
    return Case(diagnosis, traces, compilations=compilations, environment=environment)


def describe_candidate(candidate: Candidate) -> Fix:
    """A candidate as a fact: what it is called, what it would change, what may be expected."""
    return Fix(
        recipe=candidate.recipe,
        safety=candidate.safety,
        predicted_traces=None if candidate.predicted_traces is None else candidate.traces_to_go_by,
        snippet=candidate.snippet,
        causes=candidate.causes,
        note=english_note(candidate.notes),
        coded_notes=candidate.notes,
    )


def _with_fix(case: Case) -> Diagnosis:
    diagnosis = case.diagnosis
    if diagnosis.verdict is Verdict.OK or not has_kit(diagnosis.backend) or not case.events:
        return diagnosis
    if len(diagnosis.causes) * sum(len(event.signature.leaves) for event in case.events) > MOST_LOOKS:
        return with_notes(diagnosis, TOO_MUCH_VARIES(causes=len(diagnosis.causes), traces=len(case.events)))
    try:
        from traceonce.fix.proposals import best  # with all recipes, and only where something is to be repaired

        candidate = best(case)
    except Exception as error:  # a report without a fix is worth more than none
        return with_notes(diagnosis, LOOKING_FAILED(error=f"{type(error).__name__}: {error}"))
    return (
        diagnosis if candidate is None else msgspec.structs.replace(diagnosis, fixes=(describe_candidate(candidate),))
    )
