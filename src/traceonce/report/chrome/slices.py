"""What a trace viewer shows of each event: a slice for the trace, and one for the first run of its graph."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from traceonce.facts import Cause, Signature, TraceEvent
from traceonce.facts.error_text import main_line
from traceonce.frameworks.base.registry import dialect_of
from traceonce.report.chrome.lanes import CLOSE, Slice
from traceonce.report.events import Timed, families_of
from traceonce.report.sentences import describe_change, describe_place, describe_site

LEAVES = 60  # of a signature that are shown
LONGEST = 1e9  # seconds
FIRST_RUN = "thread_state_sleeping"  # as Chrome calls a colour


class ChromeEvent(NamedTuple):
    """An event, why it came about, and when it began, in microseconds since the run began."""

    event: TraceEvent
    causes: tuple[Cause, ...]
    start: int

    @classmethod
    def of(cls, timed: Timed) -> ChromeEvent:
        return cls(timed.event, timed.causes, microseconds(timed.start))

    @property
    def end(self) -> int:
        return self.start + max(microseconds(self.event.seconds or 0.0), 1)


def microseconds(seconds: float) -> int:
    """A whole number that every JSON reader can hold, whatever a recording says."""
    return round(min(max(seconds, -LONGEST), LONGEST) * 1e6)


def slices_of(happened: Sequence[ChromeEvent]) -> Iterator[Slice]:
    """The slices of one thread, for the events whose duration was measured."""
    backwards: dict[str, list[ChromeEvent]] = {}
    for item in sorted(happened, key=_start_of):
        if item.event.kind == "backward":
            backwards.setdefault(item.event.function.key, []).append(item)
    for item in happened:
        event = item.event
        if event.seconds is None:
            continue
        category = f"{event.kind},{event.phase}"
        colour = families_of(event, item.causes)[0].chrome
        yield Slice(item.start, item.end, title_of(item), category, colour, facts_of(item))
        if event.first_run_seconds:
            aside = sum(_set_aside(item, backwards.get(event.function.key, [])))
            took = max(microseconds(event.first_run_seconds), 1) + aside
            facts = {
                "function": event.function.name,
                "first_run_seconds": event.first_run_seconds,
                "steady_run_seconds": event.steady_run_seconds,
                "placed": "right after its trace: its duration was measured, but not its start",
            }
            name = f"first run of {event.function.short_name}"
            yield Slice(item.end, item.end + took, name, "first_run", FIRST_RUN, _known(facts))


def _start_of(item: ChromeEvent) -> int:
    return item.start


def _set_aside(trace: ChromeEvent, backwards: Sequence[ChromeEvent]) -> Iterator[int]:
    """The backward graphs that were built in the first run of a graph: their time is not in that of the run."""
    ends = trace.end + CLOSE + microseconds(trace.event.first_run_seconds or 0.0)
    for backward in backwards[bisect.bisect_left(backwards, trace.end - CLOSE, key=_start_of) :]:
        if backward.start > ends:
            break
        ends += backward.end - backward.start
        yield backward.end - backward.start


def title_of(happened: ChromeEvent) -> str:
    """The function, and why it was traced."""
    event, causes, _ = happened
    name = event.function.short_name
    if event.kind == "backward":
        return f"{name}: backward graph"
    codes = ", ".join(dict.fromkeys(cause.code.value for cause in causes))
    what = f"{name}: {dialect_of(event.backend).compiler or 'compiled'}" if event.kind == "compile" else name
    if event.phase == "failed":
        return f"{what}: failed"
    return f"{what} ({codes})" if codes else what


def facts_of(happened: ChromeEvent) -> dict[str, Any]:
    """What a viewer shows of an event that is clicked on."""
    event, causes, _ = happened
    return _known(
        {
            "function": event.function.name,
            "place": describe_place(event.function, event.backend, event.made_at),
            "phase": event.phase,
            "trace": event.ordinal,
            "call": event.call,
            "causes": [f"{describe_change(cause)} ({cause.code.value}, {cause.evidence})" for cause in causes],
            "called_from": describe_site(event.call_site) if event.call_site else None,
            "signature": _describe_signature(event.signature),
            "nodes": event.nodes,
            "bytes_kept": event.bytes,
            "error": main_line(event.error) if event.error else None,
        }
    )


def _describe_signature(signature: Signature) -> dict[str, str]:
    shown = {leaf.path: leaf.describe() for leaf in signature.leaves[:LEAVES]}
    shown |= {f"context.{name}": value for name, value in signature.context.items()}
    left = len(signature.leaves) - LEAVES
    return shown | ({"…": f"and {left} more"} if left > 0 else {})


def _known(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [], {}, 0)}
