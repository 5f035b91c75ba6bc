"""Where the user's functions were wrapped: every place at which their own code applied the framework's wrapper."""

from __future__ import annotations

import types

import msgspec

from traceonce.facts import FunctionId
from traceonce.facts.replay import Making
from traceonce.frameworks.base.replay.source_places import Locator


class Makings:
    """Gathers them. A framework's own part says when a function was made, and from which frame."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator
        self._makings: dict[Making, int] = {}

    def note(self, function: FunctionId | None, caller: types.FrameType | None) -> None:
        """`function` is None where it is not to be changed."""
        place = self._locator.locate(caller) if function is not None else None
        if function is not None and place is not None and place.direct:
            making = Making(function, place.file, place.line, place.scope, place.span)
            self._makings[making] = self._makings.get(making, 0) + 1

    def all(self) -> tuple[Making, ...]:
        """In the order in which they were first made."""
        return tuple(msgspec.structs.replace(making, count=count) for making, count in list(self._makings.items()))
