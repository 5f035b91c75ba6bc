"""A trace for Perfetto and chrome://tracing: traces, first runs, compilations and backward graphs, as time in threads.

It is in the JSON object format of Chrome's trace events. Colours are by cause; Perfetto gives its own, by the name of a
slice, so the name has the cause in it, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from traceonce.facts import Breach, Limit, Recording
from traceonce.facts.quantities import count_of
from traceonce.frameworks.base.registry import dialect_of
from traceonce.report.base import Material
from traceonce.report.chrome.lanes import Slice, sort_into_lanes
from traceonce.report.chrome.slices import ChromeEvent, facts_of, slices_of, title_of
from traceonce.report.events import timed_events
from traceonce.report.sentences import describe_change, describe_place, describe_site
from traceonce.version import __version__

Line: TypeAlias = dict[str, Any]
Traces: TypeAlias = dict[tuple[str, str], list[ChromeEvent]]
MAIN_THREAD = "MainThread"
_OWN_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def render_chrome(material: Material) -> str:
    recording = material.recording
    processes = _Processes(recording)
    happened = [ChromeEvent.of(timed) for timed in timed_events(material)]
    functions = _traces_of_functions(happened)
    lines = [
        *_names(recording, processes),
        *_threads(happened, processes),
        *_counters(functions, processes),
        *_limits(recording, functions, processes),
    ]
    document = {
        "traceEvents": lines,
        "displayTimeUnit": "ms",
        "otherData": {
            **recording.environment,
            "tool": f"traceonce {__version__}",
            "command": " ".join(recording.command),
            "exit_code": recording.exit_code,
        },
    }
    return msgspec.json.encode(document).decode() + "\n"


class _Processes:
    """A number for each process, its own where it has one; and numbers for threads, which no other one has."""

    def __init__(self, recording: Recording) -> None:
        named = dict.fromkeys(event.process for event in recording.events)
        own = {process: int(process) for process in named if _OWN_NUMBER.fullmatch(process)}
        spare = (number for number in itertools.count(1) if number not in own.values())
        self.numbers = {process: own.get(process) or next(spare) for process in named}
        self._threads = itertools.count(max(self.numbers.values(), default=0) + 1)

    def number_thread(self, process: str, thread: str) -> int:
        """The main thread has the number of its process, as in Linux."""
        return self.numbers[process] if thread == MAIN_THREAD else next(self._threads)


def _names(recording: Recording, processes: _Processes) -> Iterator[Line]:
    command = " ".join(recording.command) or "program"
    for position, (process, number) in enumerate(processes.numbers.items()):
        name = f"{command} (process {process})" if process else command
        yield _metadata("process_name", number, number, name=name)
        yield _metadata("process_sort_index", number, number, sort_index=position)


def _threads(happened: list[ChromeEvent], processes: _Processes) -> Iterator[Line]:
    """Every thread by its name, and what happened in it."""
    threads: dict[tuple[str, str], list[ChromeEvent]] = {}
    for item in happened:
        thread = item.event.thread
        if item.event.kind == "compile":  # nobody says which thread it was
            thread = f"{dialect_of(item.event.backend).compiler} compiler".lstrip()
        threads.setdefault((item.event.process, thread), []).append(item)
    for (process, thread), items in threads.items():
        lanes = sort_into_lanes(slices_of(items)) or [[]]
        for lane, slices in enumerate(lanes):
            name = thread if lane == 0 else f"{thread} (beside it, {lane})"
            pid, tid = processes.numbers[process], processes.number_thread(process, name)
            yield _metadata("thread_name", pid, tid, name=name)
            yield from (_slice(piece, pid, tid) for piece in slices)
            if lane == 0:
                yield from (_untimed(item, pid, tid) for item in items if item.event.seconds is None)


def _slice(piece: Slice, pid: int, tid: int) -> Line:
    return {
        "ph": "X",
        "name": piece.name,
        "cat": piece.category,
        "ts": piece.start,
        "dur": piece.end - piece.start,
        "pid": pid,
        "tid": tid,
        "cname": piece.colour,
        "args": piece.facts,
    }


def _untimed(item: ChromeEvent, pid: int, tid: int) -> Line:
    return _instant(title_of(item), item.event.kind, item.start, pid, tid, "t", facts_of(item))


def _traces_of_functions(happened: list[ChromeEvent]) -> Traces:
    """The traces that the user's code caused, by process and function, in the order in which they ended."""
    functions: Traces = {}
    for item in sorted(happened, key=lambda item: item.end):
        if item.event.kind == "trace" and item.event.phase in ("first", "retrace"):
            functions.setdefault((item.event.process, item.event.function.key), []).append(item)
    return functions


def _counters(functions: Traces, processes: _Processes) -> Iterator[Line]:
    """How the traces of a function add up, for each that was traced more than once in a process."""
    for (process, _), traces in functions.items():
        if len(traces) == 1:
            continue
        function, pid = traces[0].event.function, processes.numbers[process]
        name = f"{function.short_name} ({describe_place(function, traces[0].event.backend)})"
        for count, time in enumerate([min(0, traces[0].start), *(trace.end for trace in traces)]):
            yield {"ph": "C", "name": name, "ts": time, "pid": pid, "tid": pid, "args": {"traces": count}}


def _limits(recording: Recording, functions: Traces, processes: _Processes) -> Iterator[Line]:
    """The limits that were reached, each at the end of the last trace that it allowed."""
    reached: dict[tuple[str, str, Limit, bool], list[Breach]] = {}
    for breach in recording.breaches:
        key = (breach.process, breach.function.key, breach.limit, breach.refused)
        reached.setdefault(key, []).append(breach)
    for (process, function, *_), breaches in reached.items():
        traces = functions.get((process, function))
        if traces:
            pid, allowed = processes.numbers[process], breaches[0].traces
            time = traces[min(max(allowed, 1), len(traces)) - 1].end
            name = f"limit reached: {breaches[0].function.short_name}"
            yield _instant(name, "limit", time, pid, pid, "p", _describe_breaches(breaches))


def _describe_breaches(breaches: list[Breach]) -> dict[str, Any]:
    first = breaches[0]
    return {
        "function": first.function.name,
        "limit": first.limit.describe(),
        "then": f"{count_of(len(breaches), 'call')} refused" if first.refused else "the program went on",
        "causes": [describe_change(cause) for cause in first.causes],
        "called_from": describe_site(first.call_site) if first.call_site else "",
        "placed": "at the end of the last trace that the limit allowed: call times are not recorded",
    }


def _instant(name: str, category: str, time: int, pid: int, tid: int, scope: str, facts: dict[str, Any]) -> Line:
    return {
        "ph": "i",
        "name": name,
        "cat": category,
        "ts": time,
        "pid": pid,
        "tid": tid,
        "s": scope,
        "args": facts,
    }


def _metadata(what: str, pid: int, tid: int, **arguments: str | int) -> Line:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": arguments}
