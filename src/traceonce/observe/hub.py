"""The one place where a process is watched from: backends report here, and every observer gets a copy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from traceonce.backends.discovery import Known, known_backends, load_backend
from traceonce.errors import BackendUnavailable
from traceonce.facts import Calls, Entry, Notice, TraceEvent
from traceonce.observe.arrival import Arrivals

if TYPE_CHECKING:
    from traceonce.backends.base import Watching
    from traceonce.observe.recorder import Recorder


class Hub:
    """Puts the hooks in when the first observer comes, and takes them out when the last one leaves."""

    def __init__(self, backends: list[Known] | None = None) -> None:
        self._backends = backends
        self._observers: tuple[_Observer, ...] = ()
        self._watching: dict[str, Watching] = {}
        self._arrivals: Arrivals | None = None
        self._compilations = False
        self._lock = threading.RLock()

    def join(self, recorder: Recorder, *, compilations: bool = False) -> None:
        with self._lock:
            before: dict[str, int] = {}
            for watching in self._watching.values():
                before |= watching.renew().counts
            self._observers = (*self._observers, _Observer(recorder, before))
            self._compilations = compilations
            if self._arrivals is None:
                known = {backend.module: backend for backend in self._backends or known_backends()}
                self._arrivals = Arrivals(list(known), lambda name: self._start(known[name]))
                self._arrivals.start()

    def leave(self, recorder: Recorder) -> None:
        with self._lock:
            self.settle()
            self._observers = tuple(other for other in self._observers if other.recorder is not recorder)
            if not self._observers:
                self._stop()

    def settle(self) -> None:
        """Have the backends report what is only known at the end; the hooks stay in place."""
        for watching in list(self._watching.values()):
            watching.settle()

    @property
    def hooks(self) -> dict[str, str]:
        """Backend → the hook in use."""
        return {name: watching.hook for name, watching in self._watching.items()}

    def write(self, entry: Entry) -> None:
        for observer in self._observers:
            observer.write(entry)

    def _start(self, known: Known) -> None:
        """A framework has been imported: watch it. Nothing that goes wrong here may reach the program."""
        with self._lock:
            if not self._observers:  # the last one left while the framework was being imported
                return
            try:
                watching = load_backend(known).watch(self, compilations=self._compilations)
                self._watching[known.name] = watching
                self.write(Notice(f"{known.name} is watched through {watching.hook}", hook=True))
            except BackendUnavailable as error:
                self.write(Notice(f"{known.name} is not watched: {error}", error=True))
            except Exception as error:
                self.write(Notice(f"{known.name} is not watched: {type(error).__name__}: {error}", error=True))

    def _stop(self) -> None:
        if self._arrivals is not None:
            self._arrivals.stop()
            self._arrivals = None
        for watching in self._watching.values():
            watching.stop()
        self._watching.clear()


class _Observer:
    """A recorder, and the calls that were counted before it came, which are not its business."""

    def __init__(self, recorder: Recorder, before: dict[str, int]) -> None:
        self.recorder = recorder
        self._before = before

    def write(self, entry: Entry) -> None:
        if self._before and isinstance(entry, Calls):
            counts = {key: count - self._before.get(key, 0) for key, count in entry.counts.items()}
            entry = Calls({key: count for key, count in counts.items() if count > 0})
        elif self._before and isinstance(entry, TraceEvent) and entry.call is not None:
            entry = msgspec.structs.replace(entry, call=entry.call - self._before.get(entry.function.key, 0))
        self.recorder.write(entry)


hub = Hub()
