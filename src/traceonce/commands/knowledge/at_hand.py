"""What the commands reach for: the base, the record that somebody names, and the user's own outcomes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TypeVar

import click

from traceonce.errors import RecordError, UsageError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.outcomes import Outcome, Outcomes
from traceonce.knowledge.record import Record
from traceonce.observe.shelf import recordings_folder

F = TypeVar("F", bound=str)

base_option = click.option(
    "--base", type=click.Path(path_type=Path), help="Another base than ours: a folder with records/<domain>/*.json."
)
language_option = click.option("--lang", default="en", show_default=True, help="The language: en, zh.")


def open_base(folder: Path | None) -> Collection:
    return Collection(folder) if folder else Collection()


def is_file(named: str) -> bool:
    """Does this name a file, and not the id of a record?"""
    path = Path(named)
    return path.is_file() or path.suffix == ".json" or path.is_absolute() or named.startswith(("./", "../"))


def find_record(named: str, base: Path | None) -> Record:
    """The record in a file, or the one with this id."""
    return Record.load(Path(named)) if is_file(named) else open_base(base).find(named)


def own_outcomes() -> Outcomes:
    """The user's outcomes lie beside their recordings."""
    return Outcomes(recordings_folder().with_name("outcomes.sqlite3"))


def own_outcomes_of(record: Record) -> list[Outcome]:
    """What the user noted about a record. That a file of theirs is damaged is said, and stops nobody from reading."""
    try:
        return own_outcomes().all(record.id)
    except RecordError as error:
        sys.stderr.write(f"traceonce: {error}\n")
        return []


def own_base() -> Path:
    """Where records go that are imported without saying where."""
    return recordings_folder().with_name("knowledge")


def check_form(form: str, forms: tuple[F, ...]) -> F:
    for known in forms:
        if form == known:
            return known
    raise UsageError(f"--format {form}: there is no such format; use one of: {', '.join(forms)}.")


def write_document(text: str, output: str | None) -> None:
    """A document is UTF-8 wherever it goes, to the byte; a file is written whole, or not at all."""
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode("utf-8", errors="replace"))
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"-o {path}: cannot be written: {error.strerror or error}.") from None
