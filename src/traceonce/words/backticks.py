"""Code in a sentence stands between backticks: what each form of a report makes of them.

A backtick in what was put into the sentence (an error message) is no mark: `KEPT` stands for it, until the sentence is
shown. Markdown has a function of its own beside what makes texts safe for it (`report/markdown/escape.py`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

KEPT = "\ufdd0"  # no character, and never one of a text
_CODE = re.compile(r"`([^`]+)`")


class Part(NamedTuple):
    """A part of a sentence."""

    text: str
    code: bool


def parts_of(sentence: str) -> list[Part]:
    """The sentence as words and code by turns."""
    pieces = _CODE.split(sentence)
    return [Part(_restored(piece), number % 2 == 1) for number, piece in enumerate(pieces) if piece]


def plain(sentence: str) -> str:
    """For a terminal, and for plain text: names stand for themselves there."""
    return _restored(_CODE.sub(r"\1", sentence))


def in_pairs(sentence: str) -> str:
    """For the HTML page, whose scripts show what is between backticks as code: there is no other backtick."""
    return sentence.replace(KEPT, "'")


def _restored(text: str) -> str:
    return text.replace(KEPT, "`")
