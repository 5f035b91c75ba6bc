"""Objects that a trace was bound to, held so that they can go."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any


def weak_references(things: dict[str, Any]) -> dict[str, weakref.ref[Any]]:
    """Those that can be held weakly, by name; the rest is left out."""
    found: dict[str, weakref.ref[Any]] = {}
    for name, thing in things.items():
        with contextlib.suppress(TypeError):
            found[name] = weakref.ref(thing)
    return found
