"""``traceonce knowledge``: the base of records, and what can be done with it."""

from __future__ import annotations

import click

from traceonce.console.lazy import LazyGroup

HERE = "traceonce.commands.knowledge"
TABLE = {
    "list": (f"{HERE}.list", "The records, a line each."),
    "show": (f"{HERE}.show", "One record, for people at a terminal."),
    "render": (f"{HERE}.render", "A record as Markdown, JSON, HTML or text, in English or Chinese."),
    "match": (f"{HERE}.match", "Match a text, or many, to records; for programs."),
    "validate": (f"{HERE}.validate", "Check records: form, expressions, claims, translations, provenance."),
    "verify": (f"{HERE}.verify", "Run what records claim, and write the evidence."),
    "claims": (f"{HERE}.claims", "What people say about retracing, and what came out when it was run."),
    "outcome": (f"{HERE}.outcome", "Note whether a workaround worked for you."),
    "import": (f"{HERE}.import_", "Take records over from another form."),
    "export": (f"{HERE}.export", "Give records away in another form."),
    "stats": (f"{HERE}.stats", "How many records, how much of it was run."),
}


@click.group(cls=LazyGroup, table=TABLE, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """What is known about tracing failures: causes, what helps, what does not, and the runs that show it.

    \b
    traceonce knowledge list
    traceonce knowledge show retracing-shape
    """
