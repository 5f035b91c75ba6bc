"""A tracing framework in a hundred lines, for tests: functions, a cache, hits and misses, and a backend that sees them.

>>> from traceonce.backends import fake
>>> @fake.function
... def double(x):
...     return x
>>> double(fake.Array("float32", (3,)))

It is public: whoever writes a tool on top of traceonce can test it without a framework.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from traceonce.backends.base import Rehearsing, Sink
from traceonce.backends.descriptor import Framework
from traceonce.backends.discovery import Known
from traceonce.backends.numbering import number_event
from traceonce.backends.places import Places, current_frames
from traceonce.errors import BackendUnavailable, TracingLimitReached
from traceonce.facts import Breach, Calls, Container, FunctionId, Leaf, Notice, Ran, Signature, TraceEvent
from traceonce.facts.rehearsal import RehearsalSettings

KNOWN = Known("fake", __name__, f"{__name__}:Fake")


class Array(NamedTuple):
    """What a tensor is here: a dtype and a shape."""

    dtype: str = "float32"
    shape: tuple[int, ...] = ()


class Function:
    """A traced function: its Python body runs on a miss only."""

    def __init__(self, python_function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, python_function)
        self._python = python_function
        self._lock = threading.RLock()
        self.traces: list[Signature] = []
        self.calls = 0
        self.seconds_to_trace = 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(self._python).bind(*args, **kwargs)
        bound.apply_defaults()
        signature = describe(bound.arguments)
        with self._lock:
            self.calls += 1
            if any(trace.admits(signature) for trace in self.traces):
                return None
            requests = [(watching, watching.request(self, signature)) for watching in tuple(_watching)]
            began = time.perf_counter()
            error: BaseException | None = None
            try:
                self._python(*args, **kwargs)
            except BaseException as problem:
                error = problem
            seconds = time.perf_counter() - began + self.seconds_to_trace
            for watching, request in requests:
                error = watching.done(request, seconds, error) or error
            if error is not None:
                raise error
            self.traces.append(signature)
        return None


def function(python_function: Callable[..., Any]) -> Function:
    return Function(python_function)


def describe(arguments: dict[str, Any]) -> Signature:
    leaves: list[Leaf] = []
    containers: list[Container] = []
    for name, value in arguments.items():
        _describe(name, value, leaves, containers)
    return Signature(tuple(leaves), tuple(containers))


def _describe(path: str, value: Any, leaves: list[Leaf], containers: list[Container]) -> None:
    if value is None:
        leaves.append(Leaf(path, "none"))
    elif isinstance(value, Array):
        leaves.append(Leaf(path, "tensor", value.dtype, value.shape))
    elif isinstance(value, (list, tuple, dict)):
        parts = list(_parts(path, value))
        containers.append(Container(path, type(value).__name__, tuple(key for key, _, _ in parts)))
        for _, inner, part in parts:
            _describe(inner, part, leaves, containers)
    elif isinstance(value, (bool, int, float, str)):
        leaves.append(Leaf(path, "python", value=repr(value), type_name=type(value).__name__))
    else:
        leaves.append(Leaf(path, "object", type_name=type(value).__name__, identity=id(value)))


def _parts(path: str, value: Any) -> Iterator[tuple[str, str, Any]]:
    items = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        yield repr(key), f"{path}[{key!r}]", part


class FakeWatching:
    """The hook of this framework: its misses."""

    hook = "misses of the fake framework"

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._known: set[int] = set()
        self._functions: dict[str, Function] = {}
        self._before: dict[str, int] = {}
        self._places = Places((__file__,))
        _watching.append(self)

    def request(self, owner: Function, signature: Signature) -> TraceEvent:
        """A trace is about to be made. Raises where a limit is reached."""
        code = owner._python.__code__
        identity = FunctionId(owner._python.__qualname__, self._places.shorten(code.co_filename), code.co_firstlineno)
        if identity.key not in self._functions:
            self._before[identity.key] = owner.calls - 1
        self._functions[identity.key] = owner
        frames = current_frames()
        event = TraceEvent(
            id=number_event(),
            backend="fake",
            function=identity,
            signature=signature,
            start=time.time(),
            phase="retrace" if owner.traces else "first",
            call=owner.calls - self._before[identity.key],
            earlier=() if id(owner) in self._known else tuple(owner.traces),
            object=id(owner),
            fingerprint=identity.key,
            call_site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            thread=threading.current_thread().name,
        )
        self._known.add(id(owner))
        refusal = self._sink.permit(event, made=False)
        if refusal is not None:
            raise refusal
        return event

    def done(self, request: TraceEvent, seconds: float, error: BaseException | None) -> BaseException | None:
        """The trace was made, or it raised `error`. Gives the error of a limit that does not let it be kept."""
        event = msgspec.structs.replace(request, seconds=seconds, exclusive_seconds=seconds)
        refusal = None if error is not None else self._sink.permit(event, made=True)
        error = error or refusal
        if error is not None:
            self._sink.write(msgspec.structs.replace(event, phase="failed", error=f"{type(error).__name__}: {error}"))
        else:
            self._sink.write(event)
            self._sink.write(Ran(event.id, 0.0))
        return refusal

    def renew(self) -> Callable[[str], int]:
        self._known.clear()
        counts = {key: owner.calls - self._before[key] for key, owner in self._functions.items()}
        return lambda key: counts.get(key, 0)

    def settle(self) -> None:
        counts = {key: owner.calls - self._before[key] for key, owner in self._functions.items()}
        self._sink.write(Calls(counts))

    def stop(self) -> None:
        _watching.remove(self)


_watching: list[FakeWatching] = []


class Fake:
    """The backend."""

    framework = Framework("fake", "the fake framework", __name__, ("traceonce",))

    def request_compilations(self, environment: dict[str, str]) -> None:
        return None

    def watch(self, sink: Sink, *, compilations: bool = False) -> FakeWatching:
        if compilations:
            sink.write(Notice("the fake framework does not compile"))
        return FakeWatching(sink)

    def rehearse(self, settings: RehearsalSettings, enough: Callable[[], None]) -> Rehearsing:
        raise BackendUnavailable("the fake framework computes nothing, so there are no results to compare")

    def limit_reached(self, message: str, breach: Breach) -> TracingLimitReached:
        return TracingLimitReached(message, breach)

    def check(self) -> None:
        toy = function(lambda x: x)
        toy(1)
        toy(2)
