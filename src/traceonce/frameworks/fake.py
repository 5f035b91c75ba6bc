"""A tracing framework in a hundred lines, for tests: functions, a cache, hits and misses, and a backend that sees them.

>>> from traceonce.frameworks import fake
>>> @fake.function
... def double(x):
...     return x
>>> double(fake.Array("float32", (3,)))

It is public: whoever writes a tool on top of traceonce can test it without a framework.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from traceonce.facts import Calls, Container, Frame, FunctionId, Leaf, Notice, Phase, Ran, Signature, TraceEvent
from traceonce.frameworks.base.backend import Backend, Sink
from traceonce.frameworks.base.descriptor import Framework
from traceonce.frameworks.base.miss_watcher import Miss, MissWatcher
from traceonce.frameworks.base.places import Places, current_frames
from traceonce.frameworks.base.registry import Known

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

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(self._python).bind(*args, **kwargs)
        bound.apply_defaults()
        signature = describe(bound.arguments)
        with self._lock:
            self.calls += 1
            if not any(trace.admits(signature) for trace in self.traces):
                self.traces.append(self._trace(signature, args, kwargs))

    def _trace(self, signature: Signature, args: Any, kwargs: Any) -> Signature:
        """Called on a miss only, so this is what is watched."""
        self._python(*args, **kwargs)
        return signature


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


@dataclasses.dataclass(eq=False, kw_only=True)
class FakeMiss(Miss):
    """A trace under way."""

    owner: Function
    function: FunctionId
    signature: Signature
    phase: Phase
    earlier: tuple[Signature, ...]
    frames: list[Frame]


class FakeWatcher(MissWatcher[FakeMiss]):
    """The hook of this framework: its misses."""

    hook = "misses of the fake framework"
    backend = "fake"

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._known: set[int] = set()
        self._functions: dict[str, Function] = {}
        self._before: dict[str, int] = {}
        self._places = Places((__file__,))
        self.start()

    def renew(self) -> Callable[[str], int]:
        self._known.clear()
        counts = self._counts()
        return lambda key: counts.get(key, 0)

    def settle(self) -> None:
        self._sink.write(Calls(self._counts()))

    def _counts(self) -> dict[str, int]:
        return {key: owner.calls - self._before[key] for key, owner in self._functions.items()}

    def _place(self) -> None:
        self._hooks.place(Function, "_trace", self._on_miss)

    def _read(
        self, caller: types.FrameType, /, owner: Function, signature: Signature, args: Any, kwargs: Any
    ) -> FakeMiss:
        code = owner._python.__code__
        identity = FunctionId(owner._python.__qualname__, self._places.shorten(code.co_filename), code.co_firstlineno)
        self._before.setdefault(identity.key, owner.calls - 1)
        self._functions[identity.key] = owner
        earlier = () if id(owner) in self._known else tuple(owner.traces)
        self._known.add(id(owner))
        return FakeMiss(
            owner=owner,
            function=identity,
            signature=signature,
            phase="retrace" if owner.traces else "first",
            earlier=earlier,
            frames=current_frames(),
            call=owner.calls - self._before[identity.key],
        )

    def _leave(self, miss: FakeMiss) -> None:
        if miss.began is not None:
            miss.began -= miss.owner.seconds_to_trace
        super()._leave(miss)

    def _event(self, miss: FakeMiss, made: Any = None) -> TraceEvent:
        return TraceEvent(
            **miss.measured(),
            backend=self.backend,
            function=miss.function,
            signature=miss.signature,
            phase=miss.phase,
            earlier=miss.earlier,
            object=id(miss.owner),
            fingerprint=miss.function.key,
            call_site=self._places.call_site(miss.frames),
            stack=self._places.visible(miss.frames),
        )

    def _follow(self, miss: FakeMiss, event: TraceEvent, made: Any) -> None:
        self._sink.write(Ran(event.id, 0.0))


class Fake(Backend):
    """The backend. It computes nothing, so there are no results to compare."""

    framework = Framework("fake", "the fake framework", __name__, ("traceonce",))

    def watch(self, sink: Sink, *, compilations: bool = False) -> FakeWatcher:
        if compilations:
            sink.write(Notice("the fake framework does not compile"))
        return FakeWatcher(sink)

    def check(self) -> None:
        toy = function(lambda x: x)
        toy(1)
        toy(2)
