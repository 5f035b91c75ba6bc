"""What one process of a run has written, being put together line by line."""

from __future__ import annotations

import msgspec

from traceonce.facts.entries import Calls, Compiled, End, Entry, Finding, Header, Inputs, Notice, Ran
from traceonce.facts.event import TraceEvent
from traceonce.facts.limit import Breach
from traceonce.facts.signature import Shape, Signature


def lost_header(before: Header) -> Header:
    """For a section whose header cannot be read: nobody knows which process it was."""
    return msgspec.structs.replace(before, process=f"after {before.process}", forked_from=None)


class Section:
    """The lines of one process, being put together."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.events: dict[int, TraceEvent] = {}
        self.calls: dict[str, int] = {}
        self.at_least: dict[str, None] = {}
        self.inputs: dict[int, list[tuple[Shape | None, ...]]] = {}
        self.findings: list[Finding] = []
        self.breaches: list[Breach] = []
        self.notices: list[Notice] = []
        self.end: End | None = None
        self.last = header.clock
        self.last_id = 0
        self.graphs: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        if isinstance(entry, TraceEvent):
            self.events[entry.id] = msgspec.structs.replace(entry, process=self.header.process)
            self.last = max(self.last, entry.start + (entry.seconds or 0.0))
            self.last_id = max(self.last_id, entry.id)
            if entry.graph is not None:
                self.graphs.setdefault(entry.graph, entry.id)
            if entry.call is not None and entry.phase != "failed":
                key = entry.function.key
                self.calls[key] = max(self.calls.get(key, 0), entry.call)
        elif isinstance(entry, Ran) and entry.event in self.events:
            event = self.events[entry.event]
            kept = event.bytes + entry.bytes if event.bytes is not None and entry.bytes is not None else event.bytes
            times = (
                {"steady_run_seconds": entry.seconds}
                if entry.steady
                else {"first_run_seconds": entry.seconds, "preparing_seconds": entry.preparing}
            )
            self.events[entry.event] = msgspec.structs.replace(event, bytes=kept, **times)
        elif isinstance(entry, Inputs):
            self.inputs.setdefault(entry.event, []).append(entry.shapes)
        elif isinstance(entry, Calls):
            self.calls.update(entry.counts)
            if entry.at_least:
                self.at_least.update(dict.fromkeys(entry.counts))
        elif isinstance(entry, Finding):
            self.findings.append(msgspec.structs.replace(entry, process=self.header.process))
        elif isinstance(entry, Breach):
            self.breaches.append(msgspec.structs.replace(entry, process=self.header.process))
        elif isinstance(entry, Notice):
            self.notices.append(entry)
        elif isinstance(entry, End):
            self.end = entry

    def compiled(self, compilation: Compiled) -> None:
        """Make an event of a compilation of one of this section's graphs.

        The log says neither shapes nor values. A function compiles once per new combination of shapes, so the n-th
        compilation is taken to be for the n-th of them; where there are fewer, a value was the reason.
        """
        trace = self.events[self.graphs[compilation.graph]]
        shapes = self.inputs.get(trace.id, [])
        signature = (
            _with_shapes(trace.served, shapes[max(1, min(compilation.ordinal, len(shapes))) - 1])
            if shapes
            else trace.served
        )
        self.last_id += 1
        number = self.last_id
        self.events[number] = TraceEvent(
            id=number,
            backend=compilation.backend,
            function=trace.function,
            signature=signature,
            start=compilation.clock - compilation.seconds,
            kind="compile",
            phase="first" if compilation.ordinal == 1 else "retrace",
            seconds=compilation.seconds,
            call_site=trace.call_site,
            process=self.header.process,
            jit_compile=True,
            graph=compilation.graph,
            parent=trace.id,
        )


def _with_shapes(signature: Signature, shapes: tuple[Shape | None, ...]) -> Signature:
    """A signature with the shapes of a run in the place of those that the trace left open."""
    known = iter(shapes)
    leaves = []
    for leaf in signature.leaves:
        shape = next(known, None) if leaf.kind in ("tensor", "variable") else None
        leaves.append(
            msgspec.structs.replace(leaf, shape=shape) if leaf.kind == "tensor" and shape is not None else leaf
        )
    return msgspec.structs.replace(signature, leaves=tuple(leaves))


def each_once(sections: list[Section]) -> list[Section]:
    """A process writes one section. Where there are copies, a file was joined to itself: the fullest of them counts."""
    kept: dict[tuple[str, float], Section] = {}
    for section in sections:
        key = (section.header.process, section.header.clock)
        if key not in kept or _fullness(section) > _fullness(kept[key]):
            kept[key] = section
    return list(kept.values())


def _fullness(section: Section) -> tuple[int, bool]:
    return len(section.events), section.end is not None
