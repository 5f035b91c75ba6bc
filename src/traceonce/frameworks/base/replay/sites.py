"""From where the user's functions were called, and with what kinds of arguments."""

from __future__ import annotations

import functools
import inspect
import itertools
import types
from collections.abc import Callable
from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.replay import Site, Span
from traceonce.frameworks.base.replay.argument_leaves import walk
from traceonce.frameworks.base.replay.source_places import Locator

MOST_PATHS = 200  # looked at in one call

Key = tuple[FunctionId, str, "Span | int", bool]


class Sites:
    """Gathers call sites: one for each function and expression.

    `kind_of` names the kind of the framework's own things (``tensor float32``), and gives None for all others.
    """

    def __init__(self, locator: Locator, kind_of: Callable[[Any], str | None]) -> None:
        self._locator = locator
        self._kind_of = kind_of
        self._seen: dict[Key, _Seen] = {}

    def note(self, function: FunctionId, bound: inspect.BoundArguments | None, caller: types.FrameType | None) -> None:
        """`caller` is the frame that calls the framework."""
        place = self._locator.locate(caller)
        if place is None:
            return
        key = function, place.file, place.span or place.line, place.direct
        seen = self._seen.setdefault(key, _Seen(place.line))
        seen.count += 1
        for end in itertools.islice(walk(bound), MOST_PATHS):
            seen.kinds.setdefault(end.path, set()).add(self._kind(end.value))

    def all(self) -> tuple[Site, ...]:
        return tuple(
            Site(
                function,
                file,
                seen.line,
                span=where if isinstance(where, Span) else None,
                count=seen.count,
                direct=direct,
                arguments={path: tuple(sorted(kinds)) for path, kinds in list(seen.kinds.items())},
            )
            for (function, file, where, direct), seen in list(self._seen.items())
        )

    def _kind(self, thing: Any) -> str:
        """The kind of one argument, in a word or two."""
        import numpy as np

        own = self._kind_of(thing)
        if own is not None:
            return own
        if isinstance(thing, np.ndarray) or (isinstance(thing, np.generic) and not isinstance(thing, (str, bytes))):
            return f"tensor {thing.dtype.name}"  # which is what a tracer sees in it
        for kind, name in _NAMED:
            if isinstance(thing, kind):
                return name
        if thing is None or type(thing).__module__ == "builtins":
            return type(thing).__name__
        return f"object {type(thing).__name__}"


class _Seen:
    def __init__(self, line: int) -> None:
        self.line = line
        self.count = 0
        self.kinds: dict[str, set[str]] = {}


_NAMED: tuple[tuple[Any, str], ...] = (
    *((basic, basic.__name__) for basic in (bool, int, float, complex, str, bytes)),  # and what is derived from them
    ((types.FunctionType, types.BuiltinFunctionType), "function"),
    (types.MethodType, "method"),
    (functools.partial, "partial"),
)
