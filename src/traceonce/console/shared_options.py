"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from traceonce.words.translated import LANGUAGES

base_option = click.option(
    "--base", type=click.Path(path_type=Path), help="Another base of records: a folder with records/<domain>/*.json."
)
language_option = click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language."
)
against_option = click.option(
    "--against",
    help="Versions to run with, NAME==VERSION separated by commas; each gets its own environment, created once "
    "and kept. Default: the installed frameworks.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(os.cpu_count() or 1, 8),
    show_default=True,
    help="Number of parallel trials.",
)


def format_option(what: str, forms: Sequence[str] = ("text", "json")) -> Callable[[Any], Any]:
    """``--format``, the first of the forms by default; `what` comes in that form."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=f"The format of {what}."
    )
