"""A line on the terminal that says how far something has come, once it takes a while."""

from __future__ import annotations

import sys
import time

from traceonce.facts.printable import in_line

PATIENCE = 2.0  # seconds after which a person wants to know that something is going on
PAUSE = 0.2  # seconds between two words of it


class ProgressLine:
    """Written to standard error where that is a terminal, over and over in one place, and taken away at the end."""

    def __init__(self) -> None:
        self._began, self._said = time.monotonic(), 0.0

    def say(self, text: str) -> None:
        now = time.monotonic()
        if now - self._began > PATIENCE and now - self._said > PAUSE and sys.stderr.isatty():
            self._said = now
            sys.stderr.write(f"\r{in_line(text, 200)}\x1b[K")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._said:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
