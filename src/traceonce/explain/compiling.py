"""Compilations without a trace: under one trace XLA compiles for each new shape, and for each value that sets one."""

from __future__ import annotations

import itertools

from traceonce.explain.arguments import compare_arguments
from traceonce.facts import Cause, CauseCode, TraceEvent


def explain_compilations(events: list[TraceEvent]) -> list[Cause]:
    """Why a function was compiled again, from its compilations in order."""
    causes: list[Cause] = []
    for before, event in itertools.pairwise(events):
        if event.phase != "retrace":
            continue
        changed = list(compare_arguments(before.signature, event.signature))
        causes += [Cause(CauseCode.COMPILE, c.path, c.was, c.now, type_name=c.code.value) for c in changed]
        if not changed:
            why = "the same shapes; a value that decides a shape, or another device"
            causes.append(Cause(CauseCode.COMPILE, event.function.name, "", why, evidence="inferred"))
    return causes
