"""How often a function may be traced, and what happened when it would have been traced once more."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import msgspec

from traceonce.facts.cause import Cause
from traceonce.facts.event import CallSite, FunctionId

Counted: TypeAlias = Literal["retraces", "traces"]
Mode: TypeAlias = Literal["raise", "warn"]
MODES: tuple[Mode, ...] = get_args(Mode)  # what a limit can do that is no function of the user's
DEFAULT_LIMIT = 1000


class Limit(msgspec.Struct, frozen=True, omit_defaults=True):
    """The most retraces that a function may have; or, where `of` says so, traces, the first one included.

    What is traced in the first `warmup` calls of a function does not count. `function` names the one that the limit is
    for (qualified name, or its last part); without it, the limit holds for every function.
    """

    most: int = DEFAULT_LIMIT
    of: Counted = "retraces"
    warmup: int = 0
    function: str | None = None

    def covers(self, function: FunctionId) -> bool:
        return self.function is None or function.is_called(self.function)

    def describe(self) -> str:
        noun = self.of if self.most != 1 else self.of.removesuffix("s")
        calls = f" after a warm-up of {self.warmup:,} call{'' if self.warmup == 1 else 's'}" if self.warmup else ""
        return f"{self.most:,} {noun}{calls}"


class Breach(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", tag="breach"):
    """A call that would exceed its tracing limit.

    `retraces` and `traces` are the counts before it; `causes` say why it needed another trace. `refused`: the program
    got an error instead of the trace.
    """

    backend: str
    function: FunctionId
    limit: Limit
    retraces: int
    traces: int
    causes: tuple[Cause, ...] = ()
    call_site: CallSite | None = None
    reduce_retracing: bool = False
    made_at: CallSite | None = None
    refused: bool = True
    process: str = ""
