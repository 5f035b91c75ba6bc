"""The events of a run as a table, for a spreadsheet or a data frame: RFC 4180, one row per event.

Seconds count from the start of the run. A text that a spreadsheet would take for a formula gets an apostrophe in front;
a text is one line, in which what cannot be seen is written out.
"""

from __future__ import annotations

import csv
import io
import re
from typing import NamedTuple

from traceonce.facts.error_text import main_line
from traceonce.facts.event import package_path
from traceonce.facts.printable import in_line
from traceonce.report.base import Material
from traceonce.report.events import Timed, timed_events
from traceonce.report.sentences import describe_cause, describe_change

# Spreadsheets look past blanks, and where East Asian text is written they take the wide forms of the signs as well.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")


class Row(NamedTuple):
    """One event; the names of the fields are the first row of the file. What is not known is left empty.

    `id` counts the events of one `process`. `ordinal` counts the traces of the function that the user's code caused.
    `causes` are codes, `explained` says the same in words.
    """

    id: int
    function: str
    file: str | None
    line: int | None
    kind: str
    phase: str
    ordinal: int | None
    call: int | None
    start: float
    seconds: float | None
    first_run_seconds: float | None
    nodes: int | None
    bytes: int | None
    call_file: str | None
    call_line: int | None
    call_via: str | None
    thread: str
    process: str
    causes: str
    explained: str
    error: str | None
    backend: str


def render_csv(material: Material) -> str:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(Row._fields)
    for item in timed_events(material):
        writer.writerow([_make_safe(cell) if isinstance(cell, str) else cell for cell in _describe(item)])
    return table.getvalue()


def _describe(item: Timed) -> Row:
    event, causes, start = item
    function, site = event.function, event.call_site
    return Row(
        id=event.id,
        function=function.name,
        file=_shorten(function.file),
        line=function.line,
        kind=event.kind,
        phase=event.phase,
        ordinal=event.ordinal if event.ordinal and event.phase != "internal" else None,
        call=event.call,
        start=round(start, 6),
        seconds=event.seconds,
        first_run_seconds=event.first_run_seconds,
        nodes=event.nodes,
        bytes=event.bytes,
        call_file=_shorten(site.file) if site else None,
        call_line=site.line if site else None,
        call_via=_shorten(site.via) if site else None,
        thread=event.thread,
        process=event.process,
        causes=" ".join(dict.fromkeys(cause.code.value for cause in causes)),
        explained="; ".join(
            f"{describe_change(cause)} ({describe_cause(cause, 0, event.backend)})" for cause in causes
        ),
        error=main_line(event.error) if event.error else None,
        backend=event.backend,
    )


def _shorten(file: str | None) -> str | None:
    return package_path(file) if file else None


def _make_safe(text: str) -> str:
    shown = in_line(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown
