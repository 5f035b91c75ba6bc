"""The base that is at hand: ours with what the user has imported, the record that somebody names, their outcomes."""

from __future__ import annotations

from pathlib import Path

from traceonce.home import state_folder
from traceonce.knowledge.collection import OURS, Collection
from traceonce.knowledge.outcomes import Outcomes
from traceonce.knowledge.record import Record


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
    return Outcomes(state_folder() / "outcomes.sqlite3")


def own_base() -> Path:
    """Where records go that are imported without saying where."""
    return state_folder() / "knowledge"
