"""Code in a sentence stands between backticks: what each form of a report makes of them.

Markdown has a function of its own beside what makes texts safe for it (`report/markdown/escaping.py`), the HTML page in
its scripts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_CODE = re.compile(r"`([^`]+)`")


class Part(NamedTuple):
    """A part of a sentence."""

    text: str
    code: bool


def parts_of(sentence: str) -> list[Part]:
    """The sentence as words and code by turns."""
    pieces = _CODE.split(sentence)
    return [Part(piece, number % 2 == 1) for number, piece in enumerate(pieces) if piece]


def plain(sentence: str) -> str:
    """For a terminal, and for plain text: names stand for themselves there."""
    return _CODE.sub(r"\1", sentence)
