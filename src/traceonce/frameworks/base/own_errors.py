"""Errors of ours inside a hook: written down, each once, while the user's program goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from traceonce.facts import Notice
from traceonce.words.notes.notices import OWN_PROBLEM
from traceonce.words.sentence import noticed

MOST = 20


class OwnErrors:
    """Call it with an error: it becomes a notice, once per kind. It never raises."""

    def __init__(self, write: Callable[[Notice], None]) -> None:
        self._write = write
        self._said: set[str] = set()

    def __call__(self, error: Exception) -> None:
        with contextlib.suppress(Exception):  # whatever it is, not in the user's program
            notice = noticed(OWN_PROBLEM(error=f"{type(error).__name__}: {error}", place=_place_of(error)), error=True)
            if notice.text not in self._said and len(self._said) < MOST:
                self._said.add(notice.text)
                self._write(notice)


def describe_own_error(error: Exception) -> str:
    """What went wrong, and in which of our functions."""
    return f"traceonce failed ({type(error).__name__}: {error}; in {_place_of(error)})"


def _place_of(error: Exception) -> str:
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return f"{frames.tb_frame.f_code.co_name}:{frames.tb_lineno}" if frames is not None else "?"
