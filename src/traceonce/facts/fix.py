"""A change to the source that should stop a function from being traced again."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from traceonce.facts.cause import CauseCode
from traceonce.facts.note import Note
from traceonce.facts.proof import Proof

Safety: TypeAlias = Literal["safe", "review", "narrow", "advice"]


class Edit(msgspec.Struct, frozen=True):
    """Replace lines `start` to `end` (1-based, inclusive) of `file`."""

    file: str
    start: int
    end: int
    replacement: str


class Fix(msgspec.Struct, frozen=True):
    """A candidate repair; only its `proof` makes it more than a proposal.

    `snippet` shows the change in a few lines, `diff` is all of it where it was written. `coded_notes` say what to know
    about it; for advice, why it is left to the author. `note` is the same in English. `wider` is what to write instead
    where the repair is too narrow for input that was not seen.
    """

    recipe: str
    safety: Safety
    predicted_traces: int | None = None
    snippet: str | None = None
    proof: Proof | None = None
    causes: tuple[CauseCode, ...] = ()
    edits: tuple[Edit, ...] = ()
    note: str | None = None
    wider: str | None = None
    diff: str | None = None
    coded_notes: tuple[Note, ...] = ()

    @property
    def is_report(self) -> bool:
        """Is its snippet no code, but a text in Markdown for those who maintain a library?"""
        return self.recipe == "library_report" and (self.snippet or "").startswith("## ")
