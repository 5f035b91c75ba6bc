"""``traceonce knowledge show``: one record, for people at a terminal."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from traceonce.commands.knowledge.outcome import own_outcomes_of
from traceonce.console.shared_options import base_option, language_option
from traceonce.knowledge.local_base import find_record
from traceonce.knowledge.render.text import Line, Role, record_lines
from traceonce.report.terminal import print_line
from traceonce.words.translated import Language

STYLES: dict[Role, str] = {
    "title": "bold cyan",
    "heading": "bold",
    "label": "dim",
    "good": "green",
    "bad": "red",
    "code": "cyan",
    "own": "magenta",
    "text": "default",
    "dim": "dim",
}
WIDEST = 110  # columns: longer lines are hard to read


@click.command(short_help="Show one record in the terminal.")
@click.argument("record", metavar="ID|FILE")
@language_option
@base_option
def command(record: str, lang: Language, base: Path | None) -> None:
    """Show a record: why the failure happens, what to try, what not to try, and the runs that show it.

    Your own outcomes (`traceonce knowledge outcome`) are shown next to it.

    \b
    traceonce knowledge show retracing-shape
    traceonce knowledge show stale-capture --lang zh
    """
    found = find_record(record, base)
    console = Console(highlight=False)
    for line in record_lines(found, lang, min(console.width, WIDEST), own_outcomes_of(found)):
        print_line(console, styled(line))


def styled(line: Line) -> Text:
    return Text.assemble(*((span.text, STYLES[span.role]) for span in line))
