"""Observe a piece of the running program, as a context manager or a decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from typing_extensions import Self

from traceonce.facts import Recording, TraceEvent
from traceonce.observe.hub import Hub, hub
from traceonce.observe.recorder import MemoryRecorder

P = ParamSpec("P")
R = TypeVar("R")


class Observation:
    """What happened inside one block. Nested and repeated observations do not disturb each other."""

    def __init__(self, hub: Hub = hub) -> None:
        self._hub = hub
        self._recorder: MemoryRecorder | None = None
        self._finished: Recording | None = None

    def start(self) -> Self:
        """Begin to watch, as a ``with`` block does; what an earlier block has seen is dropped."""
        if self.is_running:
            raise RuntimeError("this watch is already running; create another one: with traceonce.watch() as inner")
        self._recorder, self._finished = MemoryRecorder(), None
        self._hub.join(self._recorder)
        return self

    def stop(self) -> None:
        """Watch no more; once is enough."""
        if self._recorder is not None and self.is_running:
            self._hub.leave(self._recorder)
            self._recorder.close()

    @property
    def is_running(self) -> bool:
        return self._recorder is not None and not self._recorder.is_closed

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """As a decorator: every call of `function` is observed; `function.watched` is what the last one saw."""
        if not callable(function):
            raise TypeError(f"watch is for a function or a block, not for {function!r}")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError(f"{function.__qualname__} runs after its call has returned; use `with watch()` inside it")

        @functools.wraps(function)
        def watched(*args: P.args, **kwargs: P.kwargs) -> R:
            with type(self)(self._hub) as seen:
                watched.watched = seen  # type: ignore[attr-defined]  # the documented way to the outcome
                return function(*args, **kwargs)

        watched.watched = type(self)(self._hub)  # type: ignore[attr-defined]  # before the first call: nothing was seen
        return watched

    @property
    def recording(self) -> Recording:
        """Everything seen so far, as data; it can be read during the block and after it."""
        if self._recorder is None:
            return Recording()
        if self.is_running:
            self._hub.settle()  # for the calls up to here
            return self._recorder.recording()
        if self._finished is None:
            self._finished = self._recorder.recording()
        return self._finished

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        return self.recording.events
