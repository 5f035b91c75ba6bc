"""Compilations without a trace: under one trace XLA compiles for each new shape, and for each value that sets one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from traceonce.explain.arguments import compare_arguments
from traceonce.facts import Cause, CauseCode, TraceEvent


def explain_compilations(events: list[TraceEvent]) -> list[Cause]:
    """Why the graphs of a function were compiled again, from its compilations in order."""
    graphs: dict[tuple[str, str | None], list[TraceEvent]] = {}
    for event in events:
        graphs.setdefault((event.process, event.graph), []).append(event)
    return [cause for compilations in graphs.values() for cause in _explain_graph(compilations)]


def _explain_graph(events: list[TraceEvent]) -> Iterator[Cause]:
    for before, event in itertools.pairwise(events):
        changed = list(compare_arguments(before.signature, event.signature))
        for change in changed:
            yield Cause(CauseCode.COMPILE, change.path, change.was, change.now, type_name=change.code.value)
        if not changed:
            why = "the same shapes; a value that decides a shape, or another device"
            yield Cause(CauseCode.COMPILE, event.function.short_name, "", why, evidence="inferred")
