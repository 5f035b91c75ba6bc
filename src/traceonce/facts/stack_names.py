"""Names for what has none: values are carried over a graph break on a stack of the compiler."""

from __future__ import annotations

import re

_STACK = re.compile(r"\b___stack(\d+)\b")


def name_stack(path: str) -> str:
    """``___stack0.shape`` as a reader may understand it: ``(value at the graph break).shape``."""
    return _STACK.sub(lambda at: f"(value{f' {int(at[1]) + 1}' if int(at[1]) else ''} at the graph break)", path)


def is_at_break(path: str) -> bool:
    return path.startswith("(value")
