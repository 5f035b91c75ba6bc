"""Functions for tests, at the top of a module."""

from __future__ import annotations

from typing import Any


def double(x: Any) -> Any:
    """Twice x."""
    return x + x
