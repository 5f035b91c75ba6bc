"""The text of an error: how much of it is kept, and which line of it says what is wrong."""

from __future__ import annotations

import re

_ERROR = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt): ")


def shorten_error(text: str) -> str:
    """Some 4,000 characters of an error: the beginning has the type, and the end may be the error itself."""
    return text if len(text) <= 4_000 else f"{text[:1_000]} … {text[-3_000:]}"


def describe_error(error: BaseException) -> str:
    """The type of an error and what it says, as much as is kept; of one that cannot be printed, the type."""
    try:
        return shorten_error(f"{type(error).__name__}: {error}")
    except Exception:
        return type(error).__name__


def last_line(error: BaseException) -> str:
    """The type of an error and the end of what it says, in one short line."""
    try:
        lines = str(error).strip().splitlines()
        return f"{type(error).__name__}: {lines[-1].strip() if lines else ''}"[:160]
    except Exception:
        return type(error).__name__


def main_line(error: str | None) -> str:
    """The line of an error that says what is wrong."""
    lines = [line.strip() for line in (error or "").splitlines() if line.strip()]
    if lines and lines[0].endswith("in user code:"):  # the error itself comes last, and it may have many lines
        return next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1])
    return lines[0] if lines else "an error without a message"
