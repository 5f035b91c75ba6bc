"""Errors of ours inside a hook: written down, each once, while the user's program goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from traceonce.facts import Notice

MOST = 20


class OwnErrors:
    """Call it with an error: it becomes a notice, once per kind. It never raises."""

    def __init__(self, write: Callable[[Notice], None]) -> None:
        self._write = write
        self._said: set[str] = set()

    def __call__(self, error: Exception) -> None:
        with contextlib.suppress(Exception):  # whatever it is, not in the user's program
            text = describe_own_error(error)
            if text not in self._said and len(self._said) < MOST:
                self._said.add(text)
                said = f"{text}; the program was not affected, the report may be incomplete"
                self._write(Notice(said, error=True))


def describe_own_error(error: Exception) -> str:
    """What went wrong, and in which of our functions."""
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    place = f"{frames.tb_frame.f_code.co_name}:{frames.tb_lineno}" if frames is not None else "?"
    return f"traceonce failed ({type(error).__name__}: {error}; in {place})"
