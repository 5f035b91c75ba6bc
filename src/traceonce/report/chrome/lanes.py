"""Slices on lanes: in a trace viewer the slices of one lane nest, or lie side by side; they never overlap in part.

What a program does in one thread does nest. But two threads may share a name, and when exactly a graph was first run is
not recorded, only how long it took. So a slice that fits nowhere on the lane of its thread goes to the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

CLOSE = 1_000  # microseconds: starts and durations come from two clocks


class Slice(NamedTuple):
    """A piece of time, in microseconds since the run began, and what a viewer shows of it."""

    start: int
    end: int
    name: str
    category: str
    colour: str
    facts: dict[str, Any]


def sort_into_lanes(slices: Iterable[Slice]) -> list[list[Slice]]:
    """The slices of one thread on as few lanes as will do, each lane in the order of time, outer slices first."""
    lanes: list[_Lane] = []
    for piece in sorted(slices, key=lambda piece: (piece.start, -piece.end)):
        if not any(lane.take(piece) for lane in lanes):
            lanes.append(_Lane(piece))
    return [lane.slices for lane in lanes]


class _Lane:
    """Slices that nest, and those of them that the next one may still lie inside of."""

    def __init__(self, first: Slice) -> None:
        self.slices = [first]
        self._open = [first]

    def take(self, piece: Slice) -> bool:
        """Put a slice here, if it fits. What is off by less than the clocks may differ is set straight."""
        self._open = list(_still_open(self._open, piece.start))
        if self._open and piece.end > self._open[-1].end:
            inside = piece.end - self._open[-1].end <= CLOSE
            behind = self._open[-1].end - piece.start <= CLOSE
            if not inside and not behind:
                return False
            piece = piece._replace(end=self._open[-1].end) if inside else piece._replace(start=self._open[-1].end)
            self._open = list(_still_open(self._open, piece.start))
            if self._open and piece.end > self._open[-1].end:
                return False
        self.slices.append(piece)
        self._open.append(piece)
        return True


def _still_open(slices: Iterable[Slice], at: int) -> Iterator[Slice]:
    return (piece for piece in slices if piece.end > at)
