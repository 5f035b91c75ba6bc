"""How often was each function traced under a limit, and may it be traced once more? Exact, whatever thread asks."""

from __future__ import annotations

import os
import threading
import weakref
from typing import NamedTuple, TypeAlias

from traceonce.explain.history import Foreseen, History
from traceonce.facts import Breach, Limit, TraceEvent

Number: TypeAlias = tuple[str, int]


class _Reserved(NamedTuple):
    """A trace that was let through and has not ended yet."""

    foreseen: Foreseen
    counts: bool


class _Function:
    """What one function did since the limit came."""

    def __init__(self, dead: set[int]) -> None:
        self.history = History(dead)
        self.traces = 0
        self.retraces = 0
        self.counted = 0
        self.reserved: dict[Number, _Reserved] = {}


class Count:
    """The traces of every function, against one limit.

    1. Before a trace is made, its request is compared with what the function was traced for. A trace that the
       framework needs for itself passes, and does not count; nor does one in the first `warmup` calls.
    2. A retrace counts. So does, for a limit of traces, the first one.
    3. A trace that would be one more than the limit is refused before it is made. One that is let through is reserved:
       no other thread can have it.
    4. Under another function object over the same code only the graph says whether it is the same again. Such a trace
       is looked at when it is made, and refused then. Another graph is another model, and does not count.
    5. A trace that fails gives its reservation back.
    """

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._functions: dict[tuple[str, str], _Function] = {}
        self._dead: set[int] = set()
        self._lock = threading.RLock()  # a signal handler of the user's may trace while we count
        _all.add(self)

    def consider(self, event: TraceEvent, *, made: bool, refuse: bool = True) -> Breach | None:
        """Reserve a trace, or say how it breaks the limit; where that is no reason to `refuse`, both."""
        with self._lock:
            function = self._function(event)
            if _number(event) in function.reserved:
                return None
            foreseen = function.history.foresee(event, made=made)
            if foreseen.phase is None:
                return None
            counts = self._counts(function, event, foreseen)
            running = list(function.reserved.values())
            fits = not counts or function.counted + sum(other.counts for other in running) < self.limit.most
            if fits or not refuse:
                function.reserved[_number(event)] = _Reserved(foreseen, counts)
            if fits:
                return None
            retraces = sum(other.foreseen.phase == "retrace" for other in running)
            traces = sum(other.foreseen.phase != "internal" for other in running)
            return Breach(
                backend=event.backend,
                function=event.function,
                limit=self.limit,
                retraces=function.retraces + retraces,
                traces=function.traces + traces,
                causes=foreseen.causes,
                call_site=event.call_site,
            )

    def end(self, event: TraceEvent) -> None:
        """A trace has ended: if it was reserved, it is counted, or, where it failed, given back."""
        with self._lock:
            function = self._function(event)
            reserved = self.withdraw(event)
            if reserved is None or event.phase == "failed":
                return
            phase = function.history.keep(event, reserved.foreseen).event.phase
            function.traces += phase != "internal"
            function.retraces += phase == "retrace"
            function.counted += reserved.counts

    def withdraw(self, event: TraceEvent) -> _Reserved | None:
        with self._lock:
            return self._function(event).reserved.pop(_number(event), None)

    def _function(self, event: TraceEvent) -> _Function:
        key = (event.backend, event.function.key)
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = _Function(self._dead)
        return function

    def _counts(self, function: _Function, event: TraceEvent, foreseen: Foreseen) -> bool:
        before = function.traces + sum(other.foreseen.phase != "internal" for other in function.reserved.values())
        # Calls inside other functions are not counted by anybody; each trace is a call, so there were that many.
        call = event.call if event.call is not None else before + 1
        if call <= self.limit.warmup:
            return False
        first = foreseen.phase == "first" and self.limit.of == "traces" and before == 0
        return foreseen.phase == "retrace" or first

    def renew_lock(self) -> None:
        self._lock = threading.RLock()


def _number(event: TraceEvent) -> Number:
    return event.backend, event.id


_all: weakref.WeakSet[Count] = weakref.WeakSet()


def _after_fork() -> None:
    """Another thread may have held a lock when the process was forked; in the child nobody would give it back."""
    for count in list(_all):
        count.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
