"""What the commands say in a line of their own: whatever is quoted in it stays in the line, and is only shown."""

from __future__ import annotations

import logging
import sys

from traceonce.facts.printable import MESSAGE, in_line, in_lines


def say(text: str, *, err: bool = True) -> None:
    """Write a line to standard error, or to standard output."""
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{in_line(text, MESSAGE)}\n")
    stream.flush()


def say_lines(text: str, *, err: bool = True) -> None:
    """The same for a text of several lines."""
    for line in in_lines(text.removesuffix("\n")) if text else ():
        say(line, err=err)


def log_to_stderr(form: str) -> None:
    """Log warnings and worse to standard error, each in this form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogLines(form))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


class _LogLines(logging.Formatter):
    """Lines of a log, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(in_lines(super().format(record)))
