"""Lines for a terminal: in our colours, and with nothing in them that a terminal or a CI system would obey."""

from __future__ import annotations

from rich.console import Console
from rich.text import Span, Text

from traceonce.facts.printable import in_line


def print_line(console: Console, line: Text) -> None:
    """Print a line as it is, however wide the terminal is."""
    console.print(safe_line(line), soft_wrap=True, highlight=False)


def safe_line(line: Text) -> Text:
    """The line with what was foreign in it made safe; each piece keeps its colour."""
    plain = line.plain
    safe = in_line(plain)
    if safe == plain:
        return line
    spans = [Span(_width(plain, span.start), _width(plain, span.end), span.style) for span in line.spans]
    return Text(safe, line.style, spans=spans)


def _width(plain: str, end: int) -> int:
    return len(in_line(plain[:end]))
