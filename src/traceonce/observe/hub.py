"""The one place where a process is watched from: backends report here, and every observer gets a copy."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import msgspec

from traceonce.errors import BackendUnavailable, TracingLimitReached
from traceonce.facts import Breach, Calls, Entry, Notice, TraceEvent
from traceonce.facts.error_text import describe_error
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.frameworks.base.arrival import Arrivals
from traceonce.frameworks.base.registry import Known, known_backends, load_backend

if TYPE_CHECKING:
    from traceonce.frameworks.base.backend import Watching
    from traceonce.observe.recorder import Recorder

Answer = TypeVar("Answer")
Refuse: TypeAlias = Callable[[str, Breach], TracingLimitReached]
# Observers that come by themselves once a program that is watched has imported a module, and keep no hook in place.
LISTENERS = {"opentelemetry.trace": "traceonce.integrations.spans:Spans"}


class Gatekeeper(Protocol):
    """An observer that may say no: see `Sink.permit`. `refuse` makes an error of the framework's from a breach."""

    def write(self, entry: Entry) -> None: ...

    def permit(self, event: TraceEvent, refuse: Refuse, *, made: bool) -> BaseException | None: ...

    def withdraw(self, event: TraceEvent) -> None:
        """What was permitted will not be made after all: somebody else has refused it."""


class Hub:
    """Puts the hooks in when the first observer comes, and takes them out when the last one leaves."""

    def __init__(self, backends: list[Known] | None = None) -> None:
        self._backends = backends
        self._observers: tuple[_Observer, ...] = ()
        self._listeners: tuple[_Observer, ...] = ()
        self._gatekeepers: tuple[_Observer, ...] = ()
        self._watching: dict[str, Watching] = {}
        self._refusals: dict[str, Refuse] = {}
        self._arrivals: Arrivals | None = None
        self._compilations = False
        self._lock = threading.RLock()
        after_fork(self.renew_lock)

    def join(self, recorder: Recorder, *, compilations: bool = False) -> None:
        with self._lock:
            self._observers = (*self._observers, self._observer(recorder))
            self._compilations = self._compilations or compilations
            if self._arrivals is None:
                self._await()

    def _observer(self, recorder: Recorder) -> _Observer:
        return _Observer(recorder, self._ask_each(lambda watching: watching.renew()))

    def _ask_each(self, question: Callable[[Watching], Answer]) -> list[Answer]:
        """What goes wrong in one framework, which another package may have brought, is written down."""
        answers = []
        for name, watching in list(self._watching.items()):
            try:
                answers.append(question(watching))
            except Exception as error:
                self.write(Notice(f"{name} is only partly watched: {describe_error(error)}", error=True))
        return answers

    def _await(self) -> None:
        """Wait for the imports of what can be watched, and of what wants to hear of it."""
        known = {backend.module: backend for backend in self._backends or known_backends()}

        def arrived(name: str) -> None:
            if name in known:
                self._start(known[name])
            else:
                self._listen(LISTENERS[name])

        self._arrivals = Arrivals([*known, *LISTENERS], arrived)
        self._arrivals.start()

    def guard(self, gatekeeper: Gatekeeper) -> None:
        """Let somebody join that is asked before each trace."""
        with self._lock:
            self.join(gatekeeper)
            self._gatekeepers = (*self._gatekeepers, self._observers[-1])

    def leave(self, recorder: Recorder) -> None:
        with self._lock:
            self.settle()
            self._observers = tuple(other for other in self._observers if other.recorder is not recorder)
            self._gatekeepers = tuple(other for other in self._gatekeepers if other.recorder is not recorder)
            if not self._observers:
                self._stop()

    def renew(self) -> None:
        """Somebody listens again: tell them, with the next event of each function, what was traced before."""
        with self._lock:
            self._ask_each(lambda watching: watching.renew())

    def settle(self) -> None:
        """Have the backends report what is only known at the end; the hooks stay in place."""
        self._ask_each(lambda watching: watching.settle())

    @property
    def hooks(self) -> dict[str, str]:
        """Backend → the hook in use."""
        return {name: watching.hook for name, watching in self._watching.items()}

    def write(self, entry: Entry) -> None:
        for observer in (*self._observers, *self._listeners):
            observer.write(entry)

    def permit(self, event: TraceEvent, *, made: bool) -> BaseException | None:
        refuse = self._refusals.get(event.backend, TracingLimitReached)
        permitted: list[Any] = []
        for observer in self._gatekeepers:
            gatekeeper: Any = observer.recorder
            refusal: BaseException | None = gatekeeper.permit(observer.since_joining(event), refuse, made=made)
            if refusal is not None:
                for other in permitted:
                    other.withdraw(event)
                return refusal
            permitted.append(gatekeeper)
        return None

    def _start(self, known: Known) -> None:
        """A framework has been imported: watch it. Nothing that goes wrong here may reach the program."""
        with self._lock:
            if not self._observers:  # the last one left while the framework was being imported
                return
            try:
                backend = load_backend(known)
                self._refusals[known.name] = backend.limit_reached
                watching = backend.watch(self, compilations=self._compilations)
                self._watching[known.name] = watching
                self.write(Notice(f"{known.name} is watched through {watching.hook}", hook=True))
            except BackendUnavailable as error:
                self.write(Notice(f"{known.name} is not watched: {error}", error=True))
            except Exception as error:
                self.write(Notice(f"{known.name} is not watched: {type(error).__name__}: {error}", error=True))

    def _listen(self, target: str) -> None:
        """Something that wants to hear of traces has been imported."""
        with self._lock:
            if not self._observers:
                return
            try:
                module, _, name = target.partition(":")
                listener: Recorder = getattr(importlib.import_module(module), name)()
                self._listeners = (*self._listeners, self._observer(listener))
            except Exception as error:
                self.write(Notice(f"{target} cannot be used: {type(error).__name__}: {error}", error=True))

    def _stop(self) -> None:
        self._listeners = ()
        if self._arrivals is not None:
            self._arrivals.stop()
            self._arrivals = None
        self._ask_each(lambda watching: watching.stop())
        self._watching.clear()
        self._compilations = False

    def renew_lock(self) -> None:
        """In a forked process, where nobody would give it back."""
        self._lock = threading.RLock()


class _Observer:
    """A recorder, and the calls that were counted before it came, which are not its business."""

    def __init__(self, recorder: Recorder, before: Sequence[Callable[[str], int]]) -> None:
        self.recorder = recorder
        self._counted = before

    def write(self, entry: Entry) -> None:
        if isinstance(entry, Calls):
            counts = {key: count - self._before(key) for key, count in entry.counts.items()}
            entry = Calls({key: count for key, count in counts.items() if count > 0}, entry.at_least)
        elif isinstance(entry, TraceEvent):
            entry = self.since_joining(entry)
        self.recorder.write(entry)

    def since_joining(self, event: TraceEvent) -> TraceEvent:
        """An event with its call numbered from when this observer came."""
        before = self._before(event.function.key) if event.call is not None else 0
        return msgspec.structs.replace(event, call=event.call - before) if event.call and before else event

    def _before(self, key: str) -> int:
        return sum(counted(key) for counted in self._counted)


hub = Hub()
