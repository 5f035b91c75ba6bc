"""Which line of a test is meant: the one that holds a text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def line_of(function: Callable[..., Any], text: str) -> int:
    """The line of a function that holds this text."""
    lines, start = inspect.getsourcelines(function)
    return start + next(number for number, line in enumerate(lines) if text in line)
