"""Equal parts of events, kept once: a long run says the same thing a hundred thousand times."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import TypeVar

from msgspec.structs import force_setattr

from traceonce.facts.event import TraceEvent

Part = TypeVar("Part", bound=Hashable)


class Shared:
    """Takes events as they are read, before anybody else has seen them, and lets them share what is equal."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, Hashable] = {}

    def share(self, event: TraceEvent) -> None:
        force_setattr(event, "backend", sys.intern(event.backend))
        force_setattr(event, "thread", sys.intern(event.thread))
        force_setattr(event, "process", sys.intern(event.process))
        force_setattr(event, "function", self._one(event.function))
        force_setattr(event, "call_site", self._one(event.call_site))
        force_setattr(event, "stack", self._one(event.stack))
        for signature in (event.signature, event.traced):
            if signature is not None:
                force_setattr(signature, "leaves", tuple(map(self._one, signature.leaves)))
                force_setattr(signature, "structure", self._one(signature.structure))

    def _one(self, part: Part) -> Part:
        return self._parts.setdefault(part, part)  # type: ignore[return-value]  # equal parts are of one type
