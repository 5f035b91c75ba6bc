"""The events of a run, each with its causes and with its time in seconds since the run began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from traceonce.causes import CATALOGUE, families
from traceonce.causes.families import Family
from traceonce.facts import Cause, CauseCode, Phase, Recording, TraceEvent
from traceonce.report.base import Material


class Timed(NamedTuple):
    """An event with its final phase and ordinal, why it came about, and when it began."""

    event: TraceEvent
    causes: tuple[Cause, ...]
    start: float


def timed_events(material: Material) -> Iterator[Timed]:
    """The events in the order of the recording. Traces that the user's code caused are numbered, from 1 on."""
    events = material.recording.events
    zeros = zero_of_each_process(material.recording)
    numbers: Counter[tuple[str, str, str]] = Counter()
    for event, causes in zip(events, material.causes or [()] * len(events), strict=True):
        phase = phase_of(event, causes)
        own = (event.process, event.backend, event.function.key)
        numbers[own] += event.kind == "trace" and phase != "internal"
        ordinal = numbers[own] if event.kind == "trace" else 0
        told = msgspec.structs.replace(event, phase=phase, ordinal=ordinal)
        yield Timed(told, causes, event.start - zeros[event.process])


def phase_of(event: TraceEvent, causes: tuple[Cause, ...]) -> Phase:
    """What an event was, now that its causes are known.

    Who recorded a trace did not know whether another object over the same code had made the same graph before, and
    whether only the variables of the first call were the reason. And the trace before it may be lost with its line.
    """
    if event.kind != "trace" or event.phase in ("internal", "failed"):
        return event.phase
    if not causes:
        return "first"
    return "internal" if {cause.code for cause in causes} == {CauseCode.VARIABLE_CREATION} else "retrace"


def families_of(event: TraceEvent, causes: Iterable[Cause]) -> tuple[Family, ...]:
    """What an event is coloured by, with its final phase: the families of its first causes, two at most."""
    if event.phase == "failed":
        return (families.FAILED,)
    if event.kind == "backward":
        return (families.BACKWARD,)
    if event.phase == "internal":
        return (families.INTERNAL,)
    if event.kind == "compile":  # also a first one: it may be that of a retrace
        return (families.COMPILE,)
    if event.phase == "first":
        return (families.FIRST,)
    found = dict.fromkeys(CATALOGUE[cause.code].family for cause in causes)
    return tuple(found)[:2] or (families.UNKNOWN,)


def zero_of_each_process(recording: Recording) -> dict[str, float]:
    """The clock that counts as second 0 for each process that has events.

    Several runs stand in a row, as if each had followed the one before at once: days may lie between them.
    """
    of_run: dict[str, list[TraceEvent]] = {}
    for event in recording.events:
        run = event.process.partition(":")[0] if len(recording.runs) > 1 else ""
        of_run.setdefault(run, []).append(event)
    zeros: dict[str, float] = {}
    begins = 0.0
    for number, events in enumerate(of_run.values()):
        first = min(event.start for event in events)
        zero = (min(recording.started, first) if number == 0 and recording.started else first) - begins
        zeros.update((event.process, zero) for event in events)
        begins = max(map(_end_of, events)) - zero
    return zeros


def _end_of(event: TraceEvent) -> float:
    return event.start + (event.seconds or 0.0) + (event.first_run_seconds or 0.0)
