"""``traceonce knowledge render``: a record as a document."""

from __future__ import annotations

from pathlib import Path

import click

from traceonce.commands.knowledge.outcome import own_outcomes_of
from traceonce.console.output import check_output, write_document
from traceonce.console.shared_options import base_option, format_option, language_option
from traceonce.knowledge.local_base import find_record
from traceonce.knowledge.render import FORMS, RecordForm, render
from traceonce.words.translated import Language


@click.command(short_help="Render a record as Markdown, JSON, HTML or text, in English or Chinese.")
@click.argument("record", metavar="FILE|ID")
@format_option("the document", FORMS)
@language_option
@click.option("-o", "--output", help="Write the document to this file instead of standard output.")
@base_option
def command(record: str, form: RecordForm, lang: Language, output: str | None, base: Path | None) -> None:
    """Render a record, from a file or from the base.

    \b
    traceonce knowledge render retracing-shape > retracing-shape.md
    traceonce knowledge render my-record.json --format html --lang zh -o my-record.html
    """
    check_output(output)
    found = find_record(record, base)
    write_document(render(found, form, lang, own_outcomes_of(found) if form == "text" else ()), output)
