"""What the commands reach for: the base, the record that somebody names, and the user's own outcomes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from traceonce.commands.message_line import say, say_lines
from traceonce.commands.output import write_whole
from traceonce.errors import RecordError
from traceonce.knowledge.collection import OURS, Collection
from traceonce.knowledge.language import LANGUAGES
from traceonce.knowledge.outcomes import Outcome, Outcomes
from traceonce.knowledge.record import Record
from traceonce.observe.shelf import recordings_folder

base_option = click.option(
    "--base", type=click.Path(path_type=Path), help="Another base than ours: a folder with records/<domain>/*.json."
)
language_option = click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language."
)


def format_option(what: str, forms: Sequence[str] = ("text", "json")) -> Callable[[Any], Any]:
    """``--format``, the first of the forms by default; `what` comes in that form."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=f"The form of {what}."
    )


def open_base(folder: Path | None) -> Collection:
    return Collection(folder) if folder else Collection()


def open_to_read(folder: Path | None) -> Collection:
    """A base; or else ours, with the records that the user has imported."""
    own = own_base()
    return Collection(OURS, own) if folder is None and (own / "records").is_dir() else open_base(folder)


def names_a_file(named: str) -> bool:
    """Does this name a file, and not the id of a record?"""
    path = Path(named)
    return path.is_file() or path.suffix == ".json" or path.is_absolute() or named.startswith(("./", "../"))


def find_record(named: str, base: Path | None) -> Record:
    """The record in a file, or the one with this id."""
    return Record.load(Path(named)) if names_a_file(named) else open_to_read(base).find(named)


def own_outcomes() -> Outcomes:
    """The user's outcomes lie beside their recordings."""
    return Outcomes(recordings_folder().with_name("outcomes.sqlite3"))


def own_outcomes_of(record: Record) -> list[Outcome]:
    """What the user noted about a record. That a file of theirs is damaged is said, and stops nobody from reading."""
    try:
        return own_outcomes().all(record.id)
    except RecordError as error:
        say(f"traceonce: {error}")
        return []


def own_base() -> Path:
    """Where records go that are imported without saying where."""
    return recordings_folder().with_name("knowledge")


def write_answer(answer: str, form: str) -> None:
    """An answer: as data to the byte, or in lines for people."""
    if form == "json":
        write_document(answer, None)
    else:
        say_lines(answer, err=False)


def write_document(text: str, output: str | None) -> None:
    """A document is UTF-8 wherever it goes, to the byte; a file is written whole, or not at all."""
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
        sys.stdout.buffer.flush()
    else:
        write_whole(output, text)
