"""What the replays of all frameworks have in common: hooks in place, calls kept, and the whole run as data.

A framework says what is left open here: where its hooks go (`_place`), how its functions run without being compiled
(`_run_eagerly`), and what state of its own there is (`_state`, `_savings`).
"""

from __future__ import annotations

import abc
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.replay import Probed, ReplayResult, ReplaySettings, Value
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.replay.beyond_the_run import KeptCalls, Probing
from traceonce.frameworks.base.replay.calls import ReplayedCalls
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.makings import Makings
from traceonce.frameworks.base.replay.perturbations import Arrays
from traceonce.frameworks.base.replay.sites import Sites
from traceonce.frameworks.base.replay.source_places import Locator
from traceonce.frameworks.base.replay.values import Values


class Replay(abc.ABC):
    """One run of a program. `values` makes what reads results, within a budget; `ReplayedCalls` explains the rest."""

    def __init__(
        self,
        settings: ReplaySettings,
        enough: Callable[[], None],
        *,
        locator: Locator,
        kept: KeptCalls,
        values: Callable[[], Values],
        arrays: Arrays,
        users: Callable[[Any], FunctionId | None],
        bind: Callable[[Any, Any, Any], inspect.BoundArguments | None],
        is_plain: Callable[[], bool],
    ) -> None:
        self._thread = threading.get_ident()
        self._eager = settings.eager
        self._here = Here({})
        self._problems = Problems()
        self._kept = kept
        self._values = values
        self._arrays = arrays
        self._sites = Sites(locator, arrays.kind_of)
        self._makings = Makings(locator)
        self._calls = ReplayedCalls(
            self._here,
            self._problems,
            values(),
            self._sites,
            kept,
            users=users,
            bind=bind,
            is_plain=is_plain,
            most=settings.calls,
            enough=enough,
        )
        self._hooks = Hooks()

    def start(self) -> None:
        """Put the hooks in place, all or none; from now on, in this thread, the time counts."""
        try:
            self._place()
            if self._eager:
                self._run_eagerly(True)
        except BaseException:
            self.stop()
            raise
        self._began = time.perf_counter()

    def stop(self) -> None:
        self._hooks.close()
        if self._eager:
            self._run_eagerly(False)

    def is_tracing(self) -> bool:
        return self._here.graphs > 0

    def result(self) -> ReplayResult:
        seconds = time.perf_counter() - self._began - self._here.aside_in(self._thread)
        variables: tuple[Value, ...] = ()
        with self._problems.kept():
            variables = self._state(self._values())
        return ReplayResult(
            returned=self._calls.all(),
            variables=variables,
            makings=self._makings.all(),
            sites=self._sites.all(),
            seconds=round(seconds, 6),
            problems=self._problems.texts,
        )

    def probe(self) -> Iterator[Probed]:
        return Probing(self._arrays, self._kept, self._here, self._problems, self._values(), self._savings()).run()

    @abc.abstractmethod
    def _place(self) -> None:
        """Put the hooks in place."""

    @abc.abstractmethod
    def _run_eagerly(self, eagerly: bool) -> None:
        """Have functions run without being compiled, or as before."""

    def _state(self, values: Values) -> tuple[Value, ...]:
        """The variables that the program ends with."""
        return ()

    @abc.abstractmethod
    def _savings(self) -> Sequence[Callable[[], Callable[[], None]]]:
        """What remembers the state that the program ended in, and restores it, for calls beyond the run."""
