"""Something worth knowing about a fix or a function, as data: which sentence it is, and what stands in it."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Argument: TypeAlias = str | int | float | tuple[str, ...]


class Note(msgspec.Struct, frozen=True):
    """A code and its arguments; `words` has the sentence for it, in every language.

    Notes are made by calling what `words.notes` defines, never by hand.
    """

    code: str
    arguments: dict[str, Argument] = {}

    def __hash__(self) -> int:
        return hash(self.code)
