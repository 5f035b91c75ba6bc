"""Traces that were made to look at, not to run: `jax.eval_shape` and `jax.make_jaxpr` trace, and compile nothing.

They are no affair of `jax.jit`, and nobody is told of them. But JAX keeps them, and where the same function is jitted
and called later, that call is served without another trace: then the trace is told of, late.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from traceonce.facts import TraceEvent
from traceonce.frameworks.jax.loops import is_on_the_way
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.stale_values import KnownTrace

LOOKING = {"eval_shape", "jit_eval_shape", "make_jaxpr_f"}  # functions of JAX that trace and do not compile


class Untold(NamedTuple):
    """A trace that nobody was told of: what there is to tell, and of whom."""

    event: TraceEvent
    made: Sequence[KnownTrace]
    owner: weakref.ref[Any]
    jaxpr: weakref.ref[Any]


class Abstract:
    """Keeps them as long as JAX does."""

    def __init__(self) -> None:
        self._untold: dict[int, Untold] = {}

    def keep(self, event: TraceEvent, made: Sequence[KnownTrace], owner: Any, jaxpr: Any) -> None:
        key, untold = id(jaxpr), self._untold
        untold[key] = Untold(event, made, weakref.ref(owner), weakref.ref(jaxpr, lambda _: untold.pop(key, None)))

    def get(self, jaxpr: Any) -> Untold | None:
        """The trace with this jaxpr, which may be about to be told."""
        return self._untold.get(id(jaxpr)) if self._untold else None

    def told(self, jaxpr: Any) -> None:
        self._untold.pop(id(jaxpr), None)

    def find(self, name: str) -> Any:
        """The jaxpr of the latest one of a function with this name."""
        for untold in reversed(list(self._untold.values())):
            if untold.event.function.short_name == name:
                return untold.jaxpr()
        return None


def is_looking(frame: types.FrameType | None, places: JaxPlaces) -> bool:
    """Is a trace wanted by somebody who will not run it?"""
    while frame is not None and is_on_the_way(frame, places):
        if frame.f_code.co_name in LOOKING:
            return True
        frame = frame.f_back
    return False
