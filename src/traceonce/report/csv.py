"""The events of a run as a table, for a spreadsheet or a data frame: RFC 4180, a row per event, in the order of time.

Seconds count from the start of the run. A text that a spreadsheet would take for a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

from traceonce.facts import Cause, TraceEvent
from traceonce.facts.error_text import main_line
from traceonce.facts.event import package_path
from traceonce.report.base import Material
from traceonce.report.clock import seconds_into_run
from traceonce.report.wording import describe_cause, describe_change

# Spreadsheets look past blanks, and in East Asia take the wide forms of these signs as well.
_FORMULA = re.compile(r"[\s\x00]*[=+\-@＝＋－＠]|[\t\r\n\x00]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

Cell = str | int | float | None
COLUMNS: dict[str, Callable[[TraceEvent, tuple[Cause, ...]], Cell]] = {
    "process": lambda event, _: event.process,
    "id": lambda event, _: event.id,
    "backend": lambda event, _: event.backend,
    "function": lambda event, _: event.function.name,
    "file": lambda event, _: package_path(event.function.file) if event.function.file else None,
    "line": lambda event, _: event.function.line,
    "kind": lambda event, _: event.kind,
    "phase": lambda event, _: event.phase,
    "ordinal": lambda event, _: event.ordinal or None,
    "call": lambda event, _: event.call,
    "start": lambda event, _: event.start,
    "seconds": lambda event, _: event.seconds,
    "first_run_seconds": lambda event, _: event.first_run_seconds,
    "nodes": lambda event, _: event.nodes,
    "bytes": lambda event, _: event.bytes,
    "call_file": lambda event, _: package_path(event.call_site.file) if event.call_site else None,
    "call_line": lambda event, _: event.call_site.line if event.call_site else None,
    "call_via": lambda event, _: package_path(event.call_site.via) if event.call_site and event.call_site.via else None,
    "thread": lambda event, _: event.thread,
    "causes": lambda _, causes: ";".join(dict.fromkeys(cause.code.value for cause in causes)),
    "explained": lambda _, causes: "; ".join(map(_explain, causes)),
    "error": lambda event, _: main_line(event.error) if event.error else None,
}
