"""Wrong answers that come without a trace: a value that the function read from outside has changed since.

JAX compiles such a value in, and serves it for good. While calls still come through Python (the first ones of each
executable) the outside values are compared with those that the trace was made with; and once more, for the calls that
nobody saw, when something else is traced and at the end.
"""

from __future__ import annotations

import collections
import itertools
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from traceonce.facts import Cause, CauseCode, Finding, FunctionId
from traceonce.frameworks.base.assigned_state import Setting, Settings
from traceonce.frameworks.base.captured_state import Reader
from traceonce.frameworks.base.side_effects import State, changed_state
from traceonce.frameworks.base.weak_references import weak_references
from traceonce.frameworks.jax.functions import Described
from traceonce.frameworks.jax.jaxprs import literals
from traceonce.words.notes import noted
from traceonce.words.notes.causes import CHANGED_SINCE

KEPT = 1024  # traces that are remembered
LOOKED_AT = 16  # of those, the latest, are looked at again when something else is traced
SHARE, GRACE = 0.02, 0.25  # of the time that is spent on that, at most, after so many seconds


class KnownTrace:
    """One trace: the function, what it was bound to, and the outside values that it was made with."""

    def __init__(self, described: Described, bound: dict[str, Any], values: dict[str, str], jaxpr: Any) -> None:
        self.function: FunctionId = described.id
        self.python = weakref.ref(described.python)
        self.bound = weak_references(bound)
        self.values = values
        self.jaxpr = weakref.ref(jaxpr)
        self.own_changes: set[str] = set()
        self.effects: list[Cause] = []
        self.settings: dict[str, Setting] = {}
        self.unseen = False  # its calls no longer come through Python

    def things(self) -> dict[str, Any] | None:
        """What it was bound to, or None where something of that is gone."""
        things = {name: weak() for name, weak in self.bound.items()}
        return None if any(thing is None for thing in things.values()) else things


class StaleChecks:
    """Remembers what traces were made with, and compares."""

    def __init__(self, reader: Reader, write: Callable[[Finding], None]) -> None:
        self._reader = reader
        self._write = write
        self._made: collections.deque[weakref.ref[KnownTrace]] = collections.deque(maxlen=KEPT)
        self._began = time.perf_counter()
        self._spent = 0.0
        self._settings: dict[str, Settings] = {}  # by function
        self._said: set[tuple[str, str, bool]] = set()  # function, path, and whether it was seen at a call

    def read(self, described: Described, bound: dict[str, Any]) -> dict[str, str]:
        """What a function of the user's reads from outside, as of now."""
        if described.python is None or described.id.library or described.internal:
            return {}
        return self._reader.snapshot(described.python, bound)

    def arrays(self, described: Described, bound: dict[str, Any]) -> dict[str, Any]:
        """The arrays from outside that a function of the user's reads."""
        if described.python is None or described.id.library or described.internal:
            return {}
        return self._reader.arrays(described.python, bound)

    def state(self, described: Described, bound: dict[str, Any]) -> dict[str, State]:
        """The state that the body of a function of the user's changes, as of now."""
        if described.python is None or described.id.library or described.internal:
            return {}
        return self._reader.updated_state(described.python, bound)

    def made(
        self, described: Described, bound: dict[str, Any], before: dict[str, str], state: dict[str, State], jaxpr: Any
    ) -> KnownTrace | None:
        """A trace was made, having read the values `before`; tracing itself may have changed some of them.

        `state` is what the body changes, as it was before: no call that the trace serves will change it.
        """
        now = self.state(described, bound) if state else {}
        effects = list(changed_state(state, now))
        settings = self._settings.setdefault(described.id.key, Settings()).note(state, now)
        if not before and not effects and not settings:
            return None
        made = KnownTrace(described, bound, before, jaxpr)
        made.effects, made.settings = effects, settings
        after = self.read(described, bound)
        made.own_changes = {path for path, text in after.items() if before.get(path, text) != text}
        self._made.append(weakref.ref(made))
        return made

    def look(self, made: KnownTrace) -> None:
        """A call is about to be served by this trace."""
        for cause in (*made.effects, *self._lost(made)):
            self._report(made, cause)
        for cause in self._changed(made):
            shown = _is_in(made.jaxpr(), cause.was, self._reader.number)
            self._report(made, msgspec.structs.replace(cause, evidence="measured" if shown else "inferred"))

    def _lost(self, made: KnownTrace) -> Iterator[Cause]:
        python, things = made.python(), made.things()
        if made.settings and python is not None and things is not None:
            now = self._reader.updated_state(python, things)
            yield from self._settings[made.function.key].lost(made.settings, now)

    def look_around(self) -> None:
        """Something else is traced: what has changed for the functions whose calls are not seen any more?"""
        began = time.perf_counter()
        if self._spent <= GRACE + SHARE * (began - self._began):
            self._look_at(list(itertools.islice(reversed(self._made), LOOKED_AT))[::-1])
            self._spent += time.perf_counter() - began

    def settle(self) -> None:
        """The same at the end, for all of them."""
        self._look_at(list(self._made))

    def _look_at(self, references: list[weakref.ref[KnownTrace]]) -> None:
        functions: dict[str, list[KnownTrace]] = {}
        for reference in references:
            made = reference()
            if made is not None and made.unseen:
                functions.setdefault(made.function.key, []).append(made)
        for traces in functions.values():
            for cause in self._changed(traces[-1]):
                if all(made.values.get(cause.path) != cause.now for made in traces):
                    self._report(
                        traces[-1], noted(msgspec.structs.replace(cause, evidence="inferred"), CHANGED_SINCE())
                    )

    def renew(self) -> None:
        """Another observer joins: what was said before is news to it."""
        self._said.clear()

    def _changed(self, made: KnownTrace) -> Iterator[Cause]:
        python, things = made.python(), made.things()
        if python is None or things is None:
            return
        now = self._reader.snapshot(python, things)
        for path, was in made.values.items():
            if now.get(path, was) != was and path not in made.own_changes:
                yield Cause(CauseCode.STALE, path, was, now[path])

    def _report(self, made: KnownTrace, cause: Cause) -> None:
        at_call = cause.note is None
        place = (made.function.key, f"{cause.code}:{cause.path}")
        if not {(*place, at_call), (*place, True)} & self._said:
            self._said.add((*place, at_call))
            self._write(Finding("jax", made.function, cause))


def _is_in(jaxpr: Any, text: str, number: Callable[[Any], int]) -> bool:
    """Can it be shown that a value (given as its remembered text) is in a jaxpr?

    A number is looked for among the literals, an array among what was captured. A flag that only chose a branch leaves
    no mark, and 0 and 1 are everywhere: for those nothing is shown.
    """
    if jaxpr is None:
        return False
    kind, _, last = text.rpartition(" ")
    if kind and last.isdigit():
        return any(_numbered(constant, number) == int(last) for constant in jaxpr.consts)
    try:
        wanted = float(text)
    except ValueError:
        return False
    return wanted not in (0.0, 1.0, -1.0) and any(_equals(value, wanted) for value in literals(jaxpr))


def _numbered(constant: Any, number: Callable[[Any], int]) -> int | None:
    try:
        return number(constant)
    except TypeError:
        return None


def _equals(value: Any, wanted: float) -> bool:
    """In the precision of the value."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return isinstance(value, (int, float)) and float(value) == wanted
    return dtype.kind in "fiu" and bool(dtype.type(wanted) == dtype.type(value))
