"""Break text into lines that fit a terminal; Chinese characters take two columns, and need no spaces to break at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
# A piece that stays together: a word with the punctuation around it, or one wide character with what must follow it.
_PIECE = re.compile(rf"[（《「『“‘]*[{_WIDE}][，。、；：？！）》」』”’…]*|[^\s{_WIDE}]+[，。、；：？！）》」』”’]*|\s+")


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most this many columns; a word that is longer is broken."""
    lines = [""]
    for piece in _PIECE.findall(text.strip()):
        if piece.isspace():
            lines[-1] += " " if lines[-1] else ""
            continue
        if columns(lines[-1]) + columns(piece) > width and lines[-1]:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        for part in _parts(piece, width):
            if columns(lines[-1]) + columns(part) > width and lines[-1]:
                lines.append("")
            lines[-1] += part
    return [line.rstrip() for line in lines]


def _parts(word: str, width: int) -> Iterator[str]:
    part = ""
    for char in word:
        if columns(part + char) > width and part:
            yield part
            part = ""
        part += char
    yield part


def shorten(text: str, width: int) -> str:
    """The text, cut where it does not fit into one line."""
    if columns(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns(kept + char) > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"
