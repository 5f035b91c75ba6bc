"""Compilations without a trace: one trace may be compiled for each new shape, and for each value that sets one.

A framework that traces for each shape compiles without a trace where the arguments lie on other devices, or are cut
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.diagnosis.arguments import compare_arguments
from traceonce.diagnosis.surroundings import compare_contexts
from traceonce.facts import Cause, CauseCode, TraceEvent


class Compilations:
    """The last compilation of each graph, to compare the next one of the same graph with."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str | None, str], TraceEvent] = {}

    def explain(self, event: TraceEvent) -> tuple[Cause, ...]:
        """Why a graph was compiled again; nothing for its first time."""
        key = (event.process, event.graph, event.function.key)
        before, self._last[key] = self._last.get(key), event
        return tuple(_compare(before, event)) if before is not None else ()


def _compare(before: TraceEvent, event: TraceEvent) -> Iterator[Cause]:
    changed = [
        *compare_contexts(before.signature, event.signature),  # what the compiler was told, beside the arguments
        *compare_arguments(before.signature, event.signature),
    ]
    for change in changed:
        if change.code is CauseCode.SHARDING:
            yield change
            continue
        yield Cause(CauseCode.COMPILE, change.path, change.was, change.now, type_name=change.code.value)
    if not changed:
        why = "the same shapes; a value that decides a shape, or another device"
        yield Cause(CauseCode.COMPILE, event.function.short_name, "", why, evidence="inferred")
