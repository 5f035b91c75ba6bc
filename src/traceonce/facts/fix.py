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
    """A candidate fix; only its `proof` makes it more than a proposal.

    `snippet` shows the change in a few lines, `diff` the complete change if it was written. `coded_notes` say what to
    know about it and, for advice, why the author must decide; `note` is the same in English. `wider` is an alternative
    if the fix is too narrow for unseen inputs.
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
        """Is the snippet a Markdown report for a library's maintainers instead of code?"""
        return self.recipe == "library_report" and (self.snippet or "").startswith("## ")
