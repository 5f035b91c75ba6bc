"""A limit in force: asked before every trace, and what it does when it is reached."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from traceonce.errors import TracingLimitWarning
from traceonce.facts import Breach, Entry, FunctionId, Limit, Notice, TraceEvent
from traceonce.facts.limit import Mode
from traceonce.facts.printable import SENTENCE, in_line
from traceonce.limits.message import describe_breach, place_to_warn_at
from traceonce.limits.trace_counts import Count
from traceonce.observe.hub import Hub, Refuse

OnLimit: TypeAlias = Mode | Callable[[Breach], object]


class ActiveLimit:
    """Counts every trace that `covers` says is its business, and refuses, warns or calls back at the limit."""

    def __init__(self, limit: Limit, on_limit: OnLimit, covers: Callable[[FunctionId], bool], hub: Hub) -> None:
        self.limit = limit
        self._on_limit = on_limit
        self._covers = covers
        self._hub = hub
        self._count = Count(limit)
        self._warned: dict[tuple[str, ...], Breach] = {}
        self._problems: set[str] = set()
        self._said: set[str] = set()

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
            if breach is None:
                return None
            message = describe_breach(breach)
            if self._on_limit == "raise":
                kept = event.creates_variables
                self._hub.write(msgspec.structs.replace(breach, refused=not kept))
                return None if kept else refuse(message, breach)
        except Exception as error:
            self._problem(error)
            return None
        return self._let_pass(event, msgspec.structs.replace(breach, refused=False), message)

    def _let_pass(self, event: TraceEvent, breach: Breach, message: str) -> BaseException | None:
        """Warn or call back; what that raises is meant for the program (a filter on warnings, the user's own code)."""
        new = callable(self._on_limit) or self._is_new(breach)
        try:
            if callable(self._on_limit):
                self._on_limit(breach)
            elif new:
                warnings.warn_explicit(message, TracingLimitWarning, *place_to_warn_at(breach))
        except BaseException as error:
            self._count.withdraw(event)
            self._forget(breach)
            self._hub.write(msgspec.structs.replace(breach, refused=True))
            return _without_our_frames(error)
        if new:
            self._hub.write(breach)
        return None

    def _is_new(self, breach: Breach) -> bool:
        """Once per function and cause, whatever thread asks."""
        return bool({key for key in _keys(breach) if self._warned.setdefault(key, breach) is breach})

    def _forget(self, breach: Breach) -> None:
        """Warnings are errors here: the next one is to reach the program, too."""
        for key in _keys(breach):
            if self._warned.get(key) is breach:
                del self._warned[key]

    def write(self, entry: Entry) -> None:
        if isinstance(entry, Notice) and entry.error:
            self._say(entry.text)
        elif isinstance(entry, TraceEvent) and entry.kind == "trace":
            try:
                self._count.end(entry, covered=self._covers(entry.function))
            except Exception as error:
                self._problem(error)

    def withdraw(self, event: TraceEvent) -> None:
        self._count.withdraw(event)

    def _problem(self, error: Exception) -> None:
        """Record an error of ours, once per kind; the program goes on."""
        text = f"the limit of {self.limit.describe()} failed inside traceonce ({type(error).__name__}: {error})"
        if text not in self._problems and len(self._problems) < 20:
            self._problems.add(text)
            self._hub.write(
                Notice(f"{text}; the program was not affected, but the limit may not have held", error=True)
            )

    def _say(self, text: str) -> None:
        """A limit that does not hold must not be relied on: say so, though nobody may be recording; each thing once."""
        if text not in self._said and len(self._said) < 20:
            self._said.add(text)
            said = in_line(text, SENTENCE)
            logging.getLogger("traceonce").warning("the limit of %s may not hold: %s", self.limit.describe(), said)


def _keys(breach: Breach) -> set[tuple[str, ...]]:
    key = breach.function.key
    return {(key, cause.code.value, cause.path) for cause in breach.causes} or {(key,)}


def _without_our_frames(error: BaseException) -> BaseException:
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return error.with_traceback(trace)
