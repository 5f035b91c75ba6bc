"""State that a traced body sets to the same each time: tracing sets it once, and no later call sets it again.

That harms nobody as long as it stays what it was set to. Once the program has put it back (``FLAG = False``,
``seen.clear()``), the next call would set it again, and does not. So what a trace has set is compared with what stands
there when a later call begins. What another trace of the same function has set in its place is left out: of several
traces the last one is remembered, and that is what such state mostly is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from traceonce.facts import Cause, CauseCode

ENTRIES = 256  # of one container
ASSIGNMENT = "assignment"
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Setting(NamedTuple):
    """What a trace has set at a place: the entries that are new since, and what stood there then, as text."""

    entries: frozenset[str]
    text: str


def entries_of(value: Any) -> frozenset[str]:
    """What stands at a place, part by part; nothing for what has no plain parts, or too many."""
    if type(value) in _PLAIN:
        return frozenset([repr(value)])
    if is_array(value):
        value = value.ravel().tolist() if value.size <= ENTRIES else []
    if not isinstance(value, (set, frozenset, dict, list)) or len(value) > ENTRIES:
        return frozenset()
    if isinstance(value, dict):
        items = [(key, part) for key, part in value.items() if _is_plain(key)]
        return frozenset(f"{key!r}: {part!r}" if _is_plain(part) else f"{key!r}" for key, part in items)
    if isinstance(value, list):
        return frozenset(f"{index}: {part!r}" for index, part in enumerate(value) if _is_plain(part))
    return frozenset(repr(part) for part in value if _is_plain(part))


def is_array(value: Any) -> bool:
    """Is it a NumPy array of plain numbers?"""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray" and value.dtype.kind in "biufc"


def _is_plain(value: Any) -> bool:
    return type(value) in _PLAIN or (type(value) is tuple and all(type(part) in _PLAIN for part in value))


class Settings:
    """What the traces of one function have set."""

    def __init__(self) -> None:
        self._all: dict[str, frozenset[str]] = {}

    def note(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Setting]:
        """A trace was made: what it has set, of the states that only are set."""
        found = {}
        for path, now in after.items():
            was = before.get(path)
            new = now.entries - was.entries if was is not None and None not in (was.entries, now.entries) else None
            if new:
                found[path] = Setting(new, now.text)
                self._all[path] = self._all.get(path, frozenset()) | new
        return found

    def lost(self, mine: Mapping[str, Setting], now: Mapping[str, Any]) -> Iterator[Cause]:
        """What one trace has set, and what stands there no more: the call that begins will not set it again."""
        for path, setting in mine.items():
            current = now.get(path)
            if current is None or current.entries is None or setting.entries <= current.entries:
                continue
            if not current.entries & (self._all[path] - setting.entries):
                yield Cause(CauseCode.SIDE_EFFECT, path, setting.text, current.text, type_name=ASSIGNMENT)
