"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from traceonce.words.translated import LANGUAGES

base_option = click.option(
    "--base", type=click.Path(path_type=Path), help="Another base than ours: a folder with records/<domain>/*.json."
)
language_option = click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language."
)
against_option = click.option(
    "--against",
    help="Versions to run with, NAME==VERSION with commas between them; each gets an "
    "environment of its own, made once and kept. Without it: the frameworks that are installed here.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(os.cpu_count() or 1, 8),
    show_default=True,
    help="Trials at the same time.",
)


def format_option(what: str, forms: Sequence[str] = ("text", "json")) -> Callable[[Any], Any]:
    """``--format``, the first of the forms by default; `what` comes in that form."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=f"The form of {what}."
    )
