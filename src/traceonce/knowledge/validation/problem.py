"""What is wrong with a record, where, and what to do about it."""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from traceonce.facts import command_line

Level: TypeAlias = Literal["error", "warning", "note"]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong.

    An *error*: the record says something false, or cannot be used as it stands. A *warning*: something is lacking.
    A *note*: something could not be looked at here, or is a matter of taste; it never counts.
    """

    file: str
    field: str
    what: str
    remedy: str
    rule: str
    level: Level = "error"

    def line(self) -> str:
        mark = "" if self.level == "error" else f"{self.level}: "
        end = "" if ": traceonce " in self.remedy else "."  # a command is copied
        return f"{self.file}: {mark}{self.field}: {self.what}. {self.remedy}{end}"


class CheckedFile(msgspec.Struct, frozen=True):
    """A file and what was found in it. `unreadable`: it is no JSON at all, so that nothing could be checked."""

    file: Path
    problems: list[Problem]
    unreadable: bool = False

    def count(self, level: Level) -> int:
        return sum(problem.level == level for problem in self.problems)


def file_name(file: Path) -> str:
    """A file's name, which may be any bytes, as text that can be printed."""
    return str(file).encode(errors="replace").decode()


def verify_command(record: str) -> str:
    """What runs the claims of a record."""
    return command_line.quoted(["traceonce", "knowledge", "verify", record])


def shortened(text: object, longest: int = 70) -> str:
    """A value for a message: in one line, without control characters, not longer than people read."""
    # reprlib does not go down into deep nesting
    shown = repr(" ".join(text[: 20 * longest].split())) if isinstance(text, str) else reprlib.repr(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
