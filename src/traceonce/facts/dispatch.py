"""What a `traceonce.function` has done so far."""

from __future__ import annotations

import msgspec

DEFAULT_KEEP = 64  # traces


class Stats(msgspec.Struct, frozen=True):
    """The traces and calls of one function, and the decisions about its arguments.

    `traces` were made to serve calls, `trials` to find out whether something can be made dynamic or lifted; `kept` are
    in memory, `evicted` are gone. `hits` are calls served by a known key. `relaxed` counts traces with open dimensions,
    `lifted` Python numbers that are passed as tensors, `static` arguments that must stay static. `fallbacks` are calls
    left to the framework. `why` explains each decision in a sentence.
    """

    traces: int = 0
    trials: int = 0
    kept: int = 0
    hits: int = 0
    relaxed: int = 0
    lifted: int = 0
    static: int = 0
    evicted: int = 0
    fallbacks: int = 0
    why: tuple[str, ...] = ()

    def __add__(self, other: Stats) -> Stats:
        """Both together: a method, over its objects."""
        numbers = (name for name in self.__struct_fields__ if name != "why")
        added = {name: getattr(self, name) + getattr(other, name) for name in numbers}
        return Stats(**added, why=tuple(dict.fromkeys(self.why + other.why)))
