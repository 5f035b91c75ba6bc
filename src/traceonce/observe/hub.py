"""The one place where a process is watched from: backends report here, and every observer gets a copy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from traceonce.backends.discovery import Known, known_backends, load_backend
from traceonce.errors import BackendUnavailable
from traceonce.facts import Entry, Notice
from traceonce.observe.arrival import Arrivals

if TYPE_CHECKING:
    from traceonce.backends.base import Watching
    from traceonce.observe.recorder import Recorder


class Hub:
    """Puts the hooks in when the first observer comes, and takes them out when the last one leaves."""

    def __init__(self, backends: list[Known] | None = None) -> None:
        self._backends = backends
        self._recorders: tuple[Recorder, ...] = ()
        self._watching: dict[str, Watching] = {}
        self._arrivals: Arrivals | None = None
        self._compilations = False
        self._lock = threading.RLock()

    def join(self, recorder: Recorder, *, compilations: bool = False) -> None:
        with self._lock:
            self._recorders = (*self._recorders, recorder)
            self._compilations = compilations
            for watching in self._watching.values():
                watching.renew()
            if self._arrivals is None:
                known = {backend.module: backend for backend in self._backends or known_backends()}
                self._arrivals = Arrivals(list(known), lambda name: self._start(known[name]))
                self._arrivals.start()

    def leave(self, recorder: Recorder) -> None:
        with self._lock:
            for watching in self._watching.values():
                watching.settle()
            self._recorders = tuple(other for other in self._recorders if other is not recorder)
            if not self._recorders:
                self._stop()

    def settle(self) -> None:
        """Have the backends report what is only known at the end; the hooks stay in place."""
        for watching in self._watching.values():
            watching.settle()

    @property
    def hooks(self) -> dict[str, str]:
        """Backend → the hook in use."""
        return {name: watching.hook for name, watching in self._watching.items()}

    def write(self, entry: Entry) -> None:
        for recorder in self._recorders:
            recorder.write(entry)

    def _start(self, known: Known) -> None:
        """A framework has been imported: watch it. Nothing that goes wrong here may reach the program."""
        try:
            watching = load_backend(known).watch(self, compilations=self._compilations)
            self._watching[known.name] = watching
            self.write(Notice(f"{known.name} is watched through {watching.hook}"))
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


hub = Hub()
