"""What is under way in this thread, and what went wrong on our side."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from traceonce.frameworks.base.own_errors import describe_own_error

MOST_PROBLEMS = 20


class Here(threading.local):
    """One thread: the calls and traces it is in, and the seconds that it spent on our behalf."""

    def __init__(self, aside: dict[int, float]) -> None:  # called anew, with the same arguments, in every thread
        self._aside = aside
        self.calls = 0  # of wrapped functions, the user's or a library's, one inside the other
        self.graphs = 0  # being traced
        self.traces = 0  # made so far
        self.own_random = 0  # parts of the framework under way that draw random numbers in a way of their own
        self.probing = False
        self._thread = threading.get_ident()

    @property
    def aside(self) -> float:
        return self.aside_in(self._thread)

    def aside_in(self, thread: int) -> float:
        """The seconds that were spent on our behalf in a thread."""
        return self._aside.get(thread, 0.0)

    @contextlib.contextmanager
    def on_our_behalf(self) -> Iterator[None]:
        """The seconds spent inside are not the program's."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._aside[self._thread] = self.aside + time.perf_counter() - began


class Problems:
    """Errors of ours: written down, each once, while the user's program goes on."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """An error of ours inside becomes a problem."""
        try:
            yield
        except Exception as error:
            with contextlib.suppress(Exception):  # it cannot even be printed
                self.say(describe_own_error(error))

    def say(self, text: str) -> None:
        if len(self._texts) < MOST_PROBLEMS:
            self._texts.setdefault(text)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._texts)
