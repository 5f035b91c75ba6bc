"""The first calls of what was compiled: counted and timed, and then left alone.

A compiled function finds its graphs by name in the globals of the module. While the first calls are counted, a
stand-in lies there; it puts the graph back itself, after which a call costs what it costs unwatched. Nothing else holds
on to the graph: what PyTorch drops is gone.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.facts import Calls, Ran
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.frameworks.base.hooks import leave_no_frame
from traceonce.frameworks.torch.probes import without_dynamo

COUNTED = 12  # calls of each graph


class FirstRuns:
    """Counts calls by function and part: a function with graph breaks runs several graphs in one call."""

    def __init__(self, write: Callable[[Ran], None], problem: Callable[[Exception], None]) -> None:
        self._write = write
        self._problem = problem
        self._counts: dict[str, dict[int, int]] = {}
        self._times: dict[str, dict[int, float | None]] = {}
        self._placed: dict[int, weakref.ref[Any]] = {}
        self._stopped = False
        after_fork(self._forked)

    def _forked(self) -> None:
        """A forked process counts its own calls, not its parent's."""
        self._counts.clear()

    def total(self, key: str) -> int:
        return max(self._counts.get(key, {}).values(), default=0)

    def of_part(self, key: str, part: int) -> int:
        return self._counts.get(key, {}).get(part, 0)

    def read(self) -> Calls:
        return Calls({key: self.total(key) for key in list(self._counts)}, at_least=True)

    def mark(self) -> Callable[[str], int]:
        """The calls counted so far, by the key of a function."""
        counted = {key: self.total(key) for key in list(self._counts)}
        return lambda key: counted.get(key, 0)

    def usual_seconds(self, key: str) -> float | None:
        """How long a call of the compiled function takes, beyond the first of each graph.

        None where no graph ran twice, and for a function in several parts: what runs between them is not timed.
        """
        parts = self._times.get(key, {})
        return next(iter(parts.values())) if len(parts) == 1 else None

    def expect(
        self,
        names: dict[str, Any],
        graph: str,
        event: int,
        key: str,
        part: int,
        look: Callable[[], None] | None = None,
    ) -> None:
        """Count and time the next runs of the graph that lies under this name; `look` is called before each."""
        original = names.get(graph)
        if self._stopped or original is None:
            return
        self._counts.setdefault(key, {}).setdefault(part, 0)
        stand_in = without_dynamo(self._stand_in(original, event, key, part, look))
        stand_in.stands_in = names, graph, original
        placed = self._placed
        placed[event] = weakref.ref(stand_in, lambda _: placed.pop(event, None))
        names[graph] = stand_in

    def stop(self) -> None:
        self._stopped = True
        for event in list(self._placed):
            self._put_back(event)

    def _put_back(self, event: int) -> None:
        placed = self._placed.pop(event, None)
        stand_in = placed() if placed is not None else None
        if stand_in is not None:
            names, graph, original = stand_in.stands_in
            if names.get(graph) is stand_in:
                names[graph] = original

    def _stand_in(
        self, original: Any, event: int, key: str, part: int, look: Callable[[], None] | None
    ) -> Callable[..., Any]:
        runs = 0

        def run(*args: Any, **kwargs: Any) -> Any:
            nonlocal runs
            runs += 1
            try:
                counts = self._counts.setdefault(key, {})
                counts[part] = counts.get(part, 0) + (not self._stopped)
                if runs >= COUNTED:  # threads may step over it
                    self._put_back(event)
            except Exception as error:
                self._problem(error)
            if look is not None and not self._stopped:
                look()
            timed, steady = runs <= 2 and not self._stopped, runs == 2
            began = time.perf_counter()
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if timed:
                self._ran(event, key, part, time.perf_counter() - began, steady)
            return result

        return run

    def _ran(self, event: int, key: str, part: int, seconds: float, steady: bool) -> None:
        try:
            times = self._times.setdefault(key, {})
            usual = times.setdefault(part, None)
            if steady:
                times[part] = seconds if usual is None else min(usual, seconds)
            self._write(Ran(event, round(seconds, 6), steady=steady))
        except Exception as error:
            self._problem(error)
