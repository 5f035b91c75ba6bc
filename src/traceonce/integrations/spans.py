"""One OpenTelemetry span per trace, in a program that has set OpenTelemetry up for itself.

The hub makes a `Spans` when a program that is watched has imported `opentelemetry.trace`. A trace is told when it has
ended, on the thread that made it: its span is a child of the span that is current there, and traces inside another
trace are its siblings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from traceonce import __version__
from traceonce.diagnosis.history import Explained
from traceonce.facts import Entry, TraceEvent
from traceonce.facts.entries import decode_line, encode_line
from traceonce.integrations.live_observer import Telling, describe
from traceonce.report.sentences import describe_site

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

FUNCTION = "traceonce.function"
BACKEND = "traceonce.backend"
PHASE = "traceonce.phase"
ORDINAL = "traceonce.ordinal"
CALL = "traceonce.call"
CALL_SITE = "traceonce.call_site"
EXCLUSIVE_SECONDS = "traceonce.exclusive_seconds"
NODES = "traceonce.nodes"
CAUSES = "traceonce.causes"
CAUSE_CODE = "traceonce.cause.code"
CAUSE_PATH = "traceonce.cause.path"
CAUSE_WAS = "traceonce.cause.was"
CAUSE_NOW = "traceonce.cause.now"
# From here on, the names of OpenTelemetry's semantic conventions.
CODE_FUNCTION = "code.function.name"
CODE_FILE = "code.file.path"
CODE_LINE = "code.line.number"
ERROR_TYPE = "error.type"
EXCEPTION_EVENT = "exception"
EXCEPTION_TYPE = "exception.type"
EXCEPTION_MESSAGE = "exception.message"

Value = str | int | float | list[str]


class Spans(Telling):
    """Makes the spans; until the program has a tracer provider, traces are only kept, for what comes after to differ.

    They are kept as bytes: most programs that import OpenTelemetry never set it up, and should not notice us.
    """

    purpose = "reporting traces to OpenTelemetry"

    def __init__(self) -> None:
        super().__init__()
        self._tracer: Tracer | None = None
        self._kept: list[bytes] = []

    def take(self, event: TraceEvent) -> None:
        if self._tracer is None:
            self._tracer = find_tracer()
        if self._tracer is None:
            self._kept.append(encode_line(msgspec.structs.replace(event, stack=())))
            return
        self._catch_up()
        explained = self.explain(event)
        if explained.event.phase != "internal":
            make_span(self._tracer, explained)

    def _catch_up(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
            for line in kept:
                entry: Entry = decode_line(line)
                assert isinstance(entry, TraceEvent)
                self._histories.explain(entry)


def find_tracer() -> Tracer | None:
    """A tracer of the provider that the program has configured, if it has.

    Asked of a proxy: `get_tracer_provider` would configure one itself where an environment variable names it, and the
    program could no longer set its own.
    """
    from opentelemetry.trace import NoOpTracer, ProxyTracer, ProxyTracerProvider

    tracer = ProxyTracerProvider().get_tracer("traceonce", __version__)
    return None if isinstance(tracer, (ProxyTracer, NoOpTracer)) else tracer


def make_span(tracer: Tracer, explained: Explained) -> None:
    """A span that is over already, from the start of the trace to its end, below the one that is current."""
    from opentelemetry.trace import Status, StatusCode

    event = explained.event
    end = _nanoseconds(event.start + (event.seconds or 0.0))
    span = tracer.start_span(
        f"trace {event.function.name}", start_time=_nanoseconds(event.start), attributes=describe_span(explained)
    )
    if event.phase == "failed":
        kind, _, message = (event.error or "").partition(": ")
        span.set_status(Status(StatusCode.ERROR, event.error))
        span.add_event(EXCEPTION_EVENT, {EXCEPTION_TYPE: kind, EXCEPTION_MESSAGE: message}, timestamp=end)
    span.end(end_time=end)


def describe_span(explained: Explained) -> dict[str, Value]:
    """The attributes; what is not known is left out."""
    event, causes = explained.event, explained.causes
    values: dict[str, Value | None] = {
        FUNCTION: event.function.name,
        BACKEND: event.backend,
        PHASE: event.phase,
        ORDINAL: event.ordinal,
        CALL: event.call,
        CALL_SITE: describe_site(event.call_site) if event.call_site is not None else None,
        EXCLUSIVE_SECONDS: event.exclusive_seconds,
        NODES: event.nodes,
        CODE_FUNCTION: event.function.name.partition(" [")[0],
        CODE_FILE: event.function.file,
        CODE_LINE: event.function.line,
        ERROR_TYPE: (event.error or "").partition(": ")[0] or None,
    }
    if causes:
        values |= {
            CAUSES: [describe(cause, event.backend) for cause in causes],
            CAUSE_CODE: [cause.code.value for cause in causes],
            CAUSE_PATH: [cause.path for cause in causes],
            CAUSE_WAS: [cause.was for cause in causes],
            CAUSE_NOW: [cause.now for cause in causes],
        }
    return {name: value for name, value in values.items() if value is not None}


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1_000_000_000)
