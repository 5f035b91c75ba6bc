"""Which functions of a run somebody should look at, and how closely: one rule for every form of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from traceonce.facts.cause import Cause, CauseCode
from traceonce.facts.diagnosis import Diagnosis, Verdict
from traceonce.facts.recording import Recording


class Attention(NamedTuple):
    """The functions of a run, each in one place; each list in the order of the diagnoses.

    `alarms`: by their verdict, by a limit that was reached, or by a baseline that says so. `avoidable`: an accident,
    with its fix. `costly`: no alarm and no accident, but without them the report would be silent about a good part of
    the run. `quiet`: they can be ignored.
    """

    alarms: list[Diagnosis]
    avoidable: list[Diagnosis]
    costly: list[Diagnosis]
    quiet: list[Diagnosis]

    @property
    def named(self) -> list[Diagnosis]:
        """All that is told with its causes."""
        return [*self.alarms, *self.avoidable, *self.costly]


def sort_by_attention(recording: Recording, diagnoses: Sequence[Diagnosis]) -> Attention:
    at_limit = {breach.function.key for breach in recording.breaches}
    attention = Attention([], [], [], [])
    for diagnosis in diagnoses:
        if diagnosis.verdict.is_alarm or diagnosis.accepted is False or diagnosis.function.key in at_limit:
            attention.alarms.append(diagnosis)
        elif diagnosis.verdict is Verdict.AVOIDABLE:
            attention.avoidable.append(diagnosis)
        elif diagnosis.costly:
            attention.costly.append(diagnosis)
        else:
            attention.quiet.append(diagnosis)
    return attention


def first_and_costly(diagnoses: Sequence[Diagnosis], most: int) -> list[Diagnosis]:
    """As many as a list has room for, and whatever of the others is costly: that must not go unnamed."""
    return [*diagnoses[:most], *(diagnosis for diagnosis in diagnoses[most:] if diagnosis.costly)]


def changed_since(diagnoses: Sequence[Diagnosis]) -> Iterator[tuple[Diagnosis, Cause]]:
    """Values that a trace holds and that were found changed at the end: whether a call came after that is not known."""
    for diagnosis in diagnoses:
        yield from ((diagnosis, cause) for cause in diagnosis.causes if is_changed_since(cause, diagnosis))


def is_changed_since(cause: Cause, diagnosis: Diagnosis) -> bool:
    return cause.code is CauseCode.STALE and not diagnosis.verdict.is_alarm
