"""Slices on lanes: in a trace viewer the slices of one lane nest, or lie side by side; they never overlap in part.

What a program does in one thread does nest. But two threads may share a name, and when exactly a graph was first run is
not recorded, only how long it took. So a slice that fits nowhere on the lane of its thread goes to the next one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
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
    """The slices of one thread on as few lanes as will do, each lane in the order of time, outer slices first.

    What is off by no more than the clocks may differ is set straight.
    """
    lanes: list[_Lane] = []
    waiting = [(piece.start, -piece.end, number, piece) for number, piece in enumerate(slices)]
    heapq.heapify(waiting)
    while waiting:
        start, _, number, piece = heapq.heappop(waiting)
        if any(lane.take(piece._replace(start=start)) for lane in lanes):
            continue
        later = min((lane.free_from for lane in lanes), default=piece.end)
        if later - piece.start <= CLOSE and later < piece.end:
            heapq.heappush(waiting, (later, -piece.end, number, piece))
        else:
            lanes.append(_Lane(piece._replace(start=start)))
    return [lane.slices for lane in lanes]


class _Lane:
    """Slices that nest, and those of them that the next one, which begins no earlier, may lie inside of."""

    def __init__(self, first: Slice) -> None:
        self.slices = [first]
        self._open = [first]

    @property
    def free_from(self) -> int:
        """When the innermost slice ends that the last one asked for would have overlapped with."""
        return self._open[-1].end

    def take(self, piece: Slice) -> bool:
        """Put a slice here, if it fits."""
        self._open = [outer for outer in self._open if outer.end > piece.start]
        if self._open and piece.end > self._open[-1].end:
            if piece.end - self._open[-1].end > CLOSE:
                return False
            piece = piece._replace(end=self._open[-1].end)
        self.slices.append(piece)
        self._open.append(piece)
        return True
