"""What ends a search before all has been tried: its time is used up, or the user interrupts it.

What is proved by then counts. A run that would not end within the time is not begun; an interrupt ends the one that is
under way, and takes effect nowhere else, so that nothing is left half done.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

LEAST = 110.0  # seconds, where the user names none: a program of ten seconds is done within two minutes
RUNS = 8.0  # and as many times as long as the program itself takes, where that is more
Why: TypeAlias = Literal["budget", "interrupted"]


class Stopped(Exception):  # noqa: N818  # no error: what has been proved is reported
    def __init__(self, why: Why) -> None:
        self.why = why
        super().__init__(why)


class Interruption:
    """Ctrl-C and its like. What waits for a program stops at once (`waiting`), all else before the next run.

    `leftovers` are folders that nobody takes away if we are to leave at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self.leftovers: list[Path] = []
        self._waits = False

    def ask(self) -> None:
        """Called by the handler of a signal."""
        self.asked = True
        if self._waits:
            raise Stopped("interrupted")

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        try:
            self._waits = True  # first: a signal between the two would not be seen
            if self.asked:
                raise Stopped("interrupted")
            yield
        finally:
            self._waits = False


class Budget:
    """`seconds` are those that the user has named, from now on; else they follow from the program's own time."""

    def __init__(self, seconds: float | None = None) -> None:
        self._began = time.monotonic()
        self._named = seconds
        self._run = 0.0

    @property
    def seconds(self) -> float:
        return self._named if self._named is not None else max(LEAST, RUNS * self._run)

    @property
    def left(self) -> float:
        return self.seconds - (time.monotonic() - self._began)

    def note_run(self, seconds: float) -> None:
        """So long does the program take: the longest run of the unchanged one."""
        self._run = max(self._run, seconds)

    def fits(self, runs: int) -> bool:
        """Is there time for so many more runs?"""
        return self.left >= runs * self._run

    def enough_for(self, runs: int) -> float:
        """What it would have to be for so many runs beyond those that it was used up by."""
        return self.seconds + runs * max(self._run, 1.0)

    def check(self) -> None:
        """Before a run with a change."""
        if not self.fits(1):
            raise Stopped("budget")

    def most(self, usual: float) -> float:
        """The seconds after which a run with a change is ended: as a rule after `usual`, and within the budget."""
        return max(1.0, min(usual, self.left))
