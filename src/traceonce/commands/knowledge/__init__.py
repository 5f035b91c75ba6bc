"""``traceonce knowledge``: the base of records, and what can be done with it."""

from __future__ import annotations

import click

from traceonce.console.lazy import LazyGroup

HERE = "traceonce.commands.knowledge"
TABLE = {
    "list": (f"{HERE}.list", "List the records, one per line."),
    "show": (f"{HERE}.show", "Show one record in the terminal."),
    "render": (f"{HERE}.render", "Render a record as Markdown, JSON, HTML or text, in English or Chinese."),
    "match": (f"{HERE}.match", "Match one text, or many, to records; for programs."),
    "validate": (f"{HERE}.validate", "Check records: schema, expressions, claims, translations, sources."),
    "verify": (f"{HERE}.verify", "Run what records claim, and write the evidence."),
    "claims": (f"{HERE}.claims", "Show common claims about retracing, with measured results."),
    "outcome": (f"{HERE}.outcome", "Record whether a workaround worked for you."),
    "import": (f"{HERE}.import_", "Import records from another format."),
    "export": (f"{HERE}.export", "Export records to another format."),
    "stats": (f"{HERE}.stats", "Count the records, and how many of their claims were run."),
}


@click.group(cls=LazyGroup, table=TABLE, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Records of tracing failures: causes, workarounds, dead ends, and the runs that show them.

    \b
    traceonce knowledge list
    traceonce knowledge show retracing-shape
    """
