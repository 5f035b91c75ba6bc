"""How often was each function traced under a limit, and may it be traced once more? Exact, whatever thread asks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from traceonce.diagnosis.history import Foreseen, History
from traceonce.facts import Breach, Limit, TraceEvent
from traceonce.frameworks.base.after_fork import after_fork

Number: TypeAlias = tuple[str, int]
REMEMBERED = 256  # refused traces, per function
encode = msgspec.json.Encoder().encode


class _Reserved(NamedTuple):
    """A trace that was let through and has not ended yet."""

    event: TraceEvent
    foreseen: Foreseen
    counts: bool
    known: bool  # for sure: its graph is there
    thread: int

    @property
    def is_settled(self) -> bool:
        return self.known or self.foreseen.phase in ("retrace", "internal")

    @property
    def is_a_trace(self) -> bool:
        return self.foreseen.phase in ("first", "retrace")


class _Function:
    """What one function did since the limit came."""

    def __init__(self, dead: set[int]) -> None:
        self.history = History(dead)
        self.traces = self.retraces = self.firsts = 0
        self.counted = 0
        self.calls = 0
        self.reserved: dict[Number, _Reserved] = {}
        self._refused: dict[tuple[int | None, bytes], None] = {}

    def note_refused(self, event: TraceEvent) -> None:
        """This object made a graph that was there already: if it asks again, that need not be found out again."""
        self._refused[event.object, encode(event.signature)] = None
        if len(self._refused) > REMEMBERED:
            del self._refused[next(iter(self._refused))]

    def was_refused(self, event: TraceEvent) -> bool:
        return bool(self._refused) and (event.object, encode(event.signature)) in self._refused

    def has_first(self, others: Sequence[_Reserved] = ()) -> bool:
        """Is there a first trace, kept or among these?"""
        return self.firsts > 0 or any(other.foreseen.phase == "first" for other in others)

    def held(self, others: Sequence[_Reserved]) -> int:
        """How much of a limit these hold: each retrace, and one for all first traces if none is kept yet."""
        firsts = any(other.counts for other in others if other.foreseen.phase == "first")
        retraces = sum(other.counts for other in others if other.foreseen.phase == "retrace")
        return retraces + (firsts and self.firsts == 0)


class Count:
    """The traces of every function, against one limit.

    1. Before a trace is made, its request is compared with what the function was traced for. A trace that the
       framework needs for itself passes, and does not count; nor does one in the first `warmup` calls.
    2. A retrace counts. So does, for a limit of traces, the first one.
    3. A trace that would be one more than the limit is refused before it is made. One that is let through is reserved:
       no other thread can have it.
    4. Of several function objects over the same code only the graph says whether it is the same again. So the first
       trace of each is looked at once more when it is made, and refused then: the one that is made first is the first
       one, the same graph again a retrace. Another graph is another model, and does not count; nor does the same over
       arrays of other sizes, which may be one: the report counts and costs that. What was refused then is refused at
       once when it is asked for again. A trace that has created variables cannot be taken back, and is let pass.
    5. A trace that fails gives its reservation back.
    6. For a limit of traces, a method is counted for each object by itself: it may have to be traced once for each.
    """

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._functions: dict[tuple[str, str, int | None], _Function] = {}
        self._dead: set[int] = set()
        self._lock = threading.RLock()  # a signal handler of the user's may trace while we count
        after_fork(self.forked)

    def consider(self, event: TraceEvent, *, made: bool, refuse: bool = True) -> Breach | None:
        """Reserve a trace, or say how it breaks the limit; where that is no reason to `refuse`, both."""
        with self._lock:
            function = self._function(event)
            before = function.reserved.pop(_number(event), None)
            # It was under way when the limit came. (A backend that sees outcomes alone never asks before.)
            if before is None and made and event.raw_reason is None:
                return None
            refuse = refuse and not event.creates_variables
            if before is not None and (before.is_settled or not made):
                function.reserved[_number(event)] = before._replace(event=event, known=before.known or made)
                return None
            others = list(function.reserved.values())
            foreseen = _foresee(function.history, event, others, made=made, again=before is not None)
            if foreseen.phase is None and function.was_refused(event):
                foreseen = foreseen._replace(phase="retrace")
            # A first trace of another object may turn out to be the same again: it holds nothing against this one.
            others = [other for other in others if other.is_settled or other.event.object == event.object]
            counts = self._counts(foreseen) and self._is_warm(function, event, others)
            is_one_more = counts and not (foreseen.phase == "first" and function.has_first(others))
            fits = not is_one_more or function.counted + function.held(others) < self.limit.most
            if fits or not refuse:
                known = made or not fits  # what is said to break the limit is not looked at again
                function.reserved[_number(event)] = _Reserved(event, foreseen, counts, known, threading.get_ident())
            if fits:
                return None
            if made and refuse:
                function.note_refused(event)
            return Breach(
                backend=event.backend,
                function=event.function,
                limit=self.limit,
                retraces=function.retraces + sum(other.foreseen.phase == "retrace" for other in others),
                traces=function.traces + sum(other.is_a_trace for other in others),
                causes=foreseen.causes,
                call_site=event.call_site,
                reduce_retracing=event.reduce_retracing,
                made_at=event.made_at,
            )

    def end(self, event: TraceEvent, *, covered: bool = True) -> None:
        """A trace has ended: if it was reserved, it is counted, or, where it failed, given back.

        One that was not is remembered if it is `covered` now: later ones are compared with it.
        """
        with self._lock:
            function = self._function(event)
            reserved = self.withdraw(event)
            if event.phase in ("failed", "internal"):  # an internal one: there was nothing to be traced, after all
                return
            if reserved is None:
                if covered:
                    function.history.keep(event, Foreseen(event.phase))
                return
            phase = function.history.keep(event, reserved.foreseen).event.phase
            function.counted += reserved.counts and not (phase == "first" and function.has_first())
            function.traces += phase != "internal"
            function.retraces += phase == "retrace"
            function.firsts += phase == "first"

    def replay(self, event: TraceEvent) -> None:
        """Count a trace of a recording, whether the limit would have let it through or not."""
        self.consider(event, made=False, refuse=False)
        self.consider(event, made=True, refuse=False)
        self.end(event)

    def totals(self) -> dict[str, int]:
        """What counts of each function, by its key; of a method, for the object that was traced most."""
        most: dict[str, int] = {}
        for (_, key, _), function in self._functions.items():
            most[key] = max(function.counted, most.get(key, 0))
        return most

    def withdraw(self, event: TraceEvent) -> _Reserved | None:
        with self._lock:
            return self._function(event).reserved.pop(_number(event), None)

    def _function(self, event: TraceEvent) -> _Function:
        own = event.instance if self.limit.of == "traces" else None
        key = (event.backend, event.function.key, own)
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = _Function(self._dead)
        return function

    def _counts(self, foreseen: Foreseen) -> bool:
        """Of the first traces of several objects, the first one to be kept."""
        return foreseen.phase == "retrace" or (foreseen.phase == "first" and self.limit.of == "traces")

    def _is_warm(self, function: _Function, event: TraceEvent, others: list[_Reserved]) -> bool:
        """Is this after the first calls, which are free?

        Each trace is a call. Other calls may not be counted by anybody (inside other functions), be under way in other
        threads, or have been counted in the process that this one was forked from.
        """
        traces = function.traces + sum(other.is_a_trace for other in others)
        function.calls = max(event.call or 0, traces + 1, function.calls)
        return function.calls > self.limit.warmup

    def forked(self) -> None:
        """In a forked process only the thread that forked goes on; nobody would give back what the others held."""
        self._lock = threading.RLock()
        here = threading.get_ident()
        for function in self._functions.values():
            function.reserved = {
                number: reserved for number, reserved in function.reserved.items() if reserved.thread == here
            }


def _foresee(history: History, event: TraceEvent, others: list[_Reserved], *, made: bool, again: bool) -> Foreseen:
    own = [other.event for other in others if other.event.object == event.object]
    made_elsewhere = [other.event for other in others if other.known and other.event.object != event.object]
    graphs = {other.fingerprint for other in made_elsewhere if other.fingerprint is not None}
    if again:
        foreseen = history.look_again(event, graphs)
    else:
        foreseen = history.foresee(event, made=made, under_way=[other.served for other in own], graphs=graphs)
    return Foreseen("first") if foreseen.resized else foreseen


def _number(event: TraceEvent) -> Number:
    return event.backend, event.id
