"""A limit in force: asked before every trace, and what it does when it is reached."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from traceonce.errors import TracingLimitWarning
from traceonce.facts import Breach, Entry, FunctionId, Limit, Notice, TraceEvent
from traceonce.guard.counting import Count
from traceonce.guard.message import describe_breach
from traceonce.observe.hub import Hub, Refuse

OnLimit: TypeAlias = Literal["raise", "warn"] | Callable[[Breach], object]
MODES = ("raise", "warn")


class Guard:
    """Counts every trace that `covers` says is its business, and refuses, warns or calls back at the limit."""

    def __init__(self, limit: Limit, on_limit: OnLimit, covers: Callable[[FunctionId], bool], hub: Hub) -> None:
        self.limit = limit
        self._on_limit = on_limit
        self._covers = covers
        self._hub = hub
        self._count = Count(limit)
        self._warned: set[tuple[str, ...]] = set()

    def is_like(self, limit: Limit, on_limit: OnLimit) -> bool:
        return (self.limit, self._on_limit) == (limit, on_limit)

    def start(self) -> None:
        self._hub.guard(self)

    def stop(self) -> None:
        self._hub.leave(self)

    def permit(self, event: TraceEvent, refuse: Refuse, *, made: bool) -> BaseException | None:
        try:
            if not self._covers(event.function):
                return None
            breach = self._count.consider(event, made=made, refuse=self._on_limit == "raise")
            message = describe_breach(breach) if breach is not None else ""
        except Exception as error:
            self._problem(error)
            return None
        if breach is None:
            return None
        if self._on_limit == "raise":
            self._hub.write(breach)
            return refuse(message, breach)
        return self._let_pass(event, msgspec.structs.replace(breach, refused=False), message)

    def _let_pass(self, event: TraceEvent, breach: Breach, message: str) -> BaseException | None:
        """Warn or call back; what that raises is meant for the program (a filter on warnings, the user's own code)."""
        try:
            if callable(self._on_limit):
                self._hub.write(breach)
                self._on_limit(breach)
            elif self._is_new(breach):
                self._hub.write(breach)
                site = breach.call_site
                warnings.warn_explicit(
                    message, TracingLimitWarning, site.file if site else "<unknown>", site.line if site else 0
                )
        except BaseException as error:
            self._count.withdraw(event)
            return error
        return None

    def _is_new(self, breach: Breach) -> bool:
        """Once per function and cause."""
        key = breach.function.key
        causes: set[tuple[str, ...]] = {(key, cause.code.value, cause.path) for cause in breach.causes}
        new = (causes or {(key,)}) - self._warned
        self._warned |= new
        return bool(new)

    def write(self, entry: Entry) -> None:
        if isinstance(entry, TraceEvent) and entry.kind == "trace":
            try:
                self._count.end(entry)
            except Exception as error:
                self._problem(error)

    def withdraw(self, event: TraceEvent) -> None:
        self._count.withdraw(event)

    def _problem(self, error: Exception) -> None:
        text = f"the limit of {self.limit.describe()} had a problem of its own ({type(error).__name__}: {error})"
        self._hub.write(Notice(f"{text}; the program was not affected, the limit may have been", error=True))
