"""The diagnoses of a recording: with the fixes that may help, and the records that explain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from traceonce.analysis.error_records import errors_of, match_error, our_records
from traceonce.diagnosis import Explained, diagnose_with_events
from traceonce.facts import Diagnosis, Recording, Repair, Verdict
from traceonce.fix.suggestions import suggest
from traceonce.knowledge.cause_records import link_records
from traceonce.knowledge.match import Index


def diagnose_with_fixes(recording: Recording, explained: Sequence[Explained] | None = None) -> list[Diagnosis]:
    """The diagnoses, each with its best fix. `explained` are the events, if they have been explained already."""
    return suggest(diagnose_with_events(recording, explained), recording.environment)


def diagnose_linked(recording: Recording, explained: Sequence[Explained] | None = None) -> list[Diagnosis]:
    """The diagnoses, each with its best fix and its records.

    The records are those of its causes, and before them those of what its traces raised. What a repair of the program
    has found counts for more than what is only proposed.
    """
    diagnoses = link_records(diagnose_with_fixes(recording, explained))
    if recording.repairs:
        repairs = {(repair.backend, repair.function.key): repair for repair in recording.repairs}
        diagnoses = [_repaired(diagnosis, repairs) for diagnosis in diagnoses]
    if all(diagnosis.verdict is not Verdict.FAILED for diagnosis in diagnoses):
        return diagnoses
    index = our_records()
    raised = errors_of(recording)
    return [_with_errors(diagnosis, raised.get(diagnosis.function.key, {}), index) for diagnosis in diagnoses]


def _repaired(diagnosis: Diagnosis, repairs: Mapping[tuple[str, str], Repair]) -> Diagnosis:
    repair = repairs.get((diagnosis.backend, diagnosis.function.key))
    if repair is None:
        return diagnosis
    return msgspec.structs.replace(
        diagnosis,
        fixes=repair.fixes,
        notes=(*diagnosis.notes, *repair.notes),
        coded_notes=(*diagnosis.coded_notes, *repair.coded_notes),
        dealt_with=repair.dealt_with,
    )


def _with_errors(diagnosis: Diagnosis, errors: Iterable[str], index: Index) -> Diagnosis:
    matched = [met.record.id for error in errors for met in match_error(error, None, index)]
    return msgspec.structs.replace(diagnosis, records=tuple(dict.fromkeys((*matched, *diagnosis.records))))
