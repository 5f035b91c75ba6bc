"""Results that fit into the context of a model: lists and texts are cut, and what was left out is said."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

import msgspec

from traceonce.errors import RecordingError

WORD = 40  # characters that are never cut: names that we give, and times
TEXT = 1_000  # characters of any text that has no limit of its own
KEYS = 40  # of any table
REMARKS = 12  # on what was left out
WHOLE = 48_000  # bytes of a result, as JSON: some 12,000 tokens


class Bounds(msgspec.Struct, frozen=True):
    """How many entries a list may have and how long a text may be, by the name of the field.

    `main` is the list that is shortened further, from its end, where the whole is still too long.
    """

    entries: Mapping[str, int]
    characters: Mapping[str, int]
    main: str


def cut(result: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The result within its bounds, and never longer than `WHOLE`; its `left_out` says what is not there."""
    for tightness in (1, 2, 4, 8, 16, 32):
        cutting = _Cutting(bounds, tightness)
        kept = {name: cutting.value(value, name, name) for name, value in result.items()}
        main = kept[bounds.main]
        while len(main) > 1 and not _fits(kept):
            main.pop()
        if _fits(kept):
            break
    remarks = [*(remark for remark in cutting.shortened if not remark.startswith(f"{bounds.main}:")), *cutting.clipped]
    if len(main) < len(result[bounds.main]):
        remarks.insert(0, f"{bounds.main}: {len(main)} of {len(result[bounds.main])} are shown")
    more = len(remarks) - REMARKS
    return {**kept, "left_out": remarks if more <= 0 else [*remarks[:REMARKS], f"and similarly at {more} other places"]}


def _fits(result: Mapping[str, Any]) -> bool:
    return len(msgspec.json.encode(result)) <= WHOLE


class _Cutting:
    """Cuts values. What is `tightness` times tighter allows so much less of everything."""

    def __init__(self, bounds: Bounds, tightness: int) -> None:
        self._bounds = bounds
        self._tightness = tightness
        self.shortened: list[str] = []  # lists and tables, in words
        self.clipped: list[str] = []  # texts

    def value(self, value: Any, field: str, place: str) -> Any:
        """`field` is the name that the bounds go by, `place` where it stands."""
        if isinstance(value, str):
            return self._text(value, max(WORD, self._bounds.characters.get(field, TEXT) // self._tightness), place)
        if isinstance(value, dict):
            self._count(value, KEYS, place)
            return {
                key[:TEXT]: self.value(item, key, f"{place}.{key[:TEXT]}") for key, item in islice(value.items(), KEYS)
            }
        if isinstance(value, (list, tuple)):
            most = max(1, self._bounds.entries.get(field, len(value)) // self._tightness)
            self._count(value, most, place)
            return [self.value(item, field, f"{place}[{number}]") for number, item in enumerate(value[:most])]
        if isinstance(value, float) and not math.isfinite(value):
            raise RecordingError(
                f"{place}: is not a finite number, so this recording is invalid; record the run again."
            )
        return value

    def _text(self, text: str, longest: int, place: str) -> str:
        if len(text) <= longest:
            return text
        self.clipped.append(f"{place}: {longest:,} of {len(text):,} characters are shown")
        return f"{text[:longest]} …"

    def _count(self, items: Any, most: int, place: str) -> None:
        if len(items) > most:
            self.shortened.append(f"{place}: {most} of {len(items)} are shown")
