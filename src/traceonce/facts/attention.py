"""Which functions of a run somebody should look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts.cause import Cause, CauseCode
from traceonce.facts.diagnosis import Diagnosis
from traceonce.facts.recording import Recording


def needing_attention(recording: Recording, diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    """All but those that can be ignored: by their verdict, if no limit was reached and no baseline says otherwise."""
    at_limit = {breach.function.key for breach in recording.breaches}
    return [d for d in diagnoses if not d.verdict.is_ignorable or d.accepted is False or d.function.key in at_limit]


def changed_since(diagnoses: Sequence[Diagnosis]) -> Iterator[tuple[Diagnosis, Cause]]:
    """Values that a trace holds and that were found changed at the end: whether a call came after that is not known."""
    for diagnosis in diagnoses:
        if diagnosis.verdict.is_ignorable:
            yield from ((diagnosis, cause) for cause in diagnosis.causes if cause.code is CauseCode.STALE)
