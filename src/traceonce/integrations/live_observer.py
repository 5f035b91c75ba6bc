"""What all have in common that tell of traces as they are made: each trace explained, and no error into the program."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from traceonce.diagnosis.history import Explained, Histories
from traceonce.facts import Cause, Entry, Notice, TraceEvent
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.observe.hub import hub
from traceonce.report.sentences import describe_cause, describe_change


class Telling(ABC):
    """An observer that explains traces while the program runs.

    One of these serves as long as it is joined, and no longer: the numbers by which a history knows its objects are
    those of one stretch of watching.
    """

    purpose: str  # in the notice about an error of ours

    def __init__(self) -> None:
        self._histories = Histories()
        self._lock = threading.RLock()  # a signal handler of the user's may trace while we explain
        self._problems: set[str] = set()
        after_fork(self.renew_lock)

    def write(self, entry: Entry) -> None:
        if not isinstance(entry, TraceEvent) or entry.kind != "trace":
            return
        try:
            self.take(entry)
        except Exception as error:
            self._problem(error)

    @abstractmethod
    def take(self, event: TraceEvent) -> None:
        """A trace was made, or it failed; what is raised here is ours to swallow."""

    def explain(self, event: TraceEvent) -> Explained:
        with self._lock:
            return self._histories.explain(event)

    def renew_lock(self) -> None:
        self._lock = threading.RLock()

    def _problem(self, error: Exception) -> None:
        """Once per kind: a handler that fails would fail at every trace."""
        text = f"{self.purpose} failed ({type(error).__name__}: {error})"
        if text not in self._problems and len(self._problems) < 20:
            self._problems.add(text)
            hub.write(Notice(f"{text}; the program was not affected", error=True))


def describe(cause: Cause, backend: str) -> str:
    """The place, now and before, and in words."""
    return f"{describe_change(cause)} ({describe_cause(cause, 0, backend)})"
