"""What the watchers of all frameworks have in common: from a cache miss to its `TraceEvent`.

A framework calls some function of its own when nothing that it has serves a call. `MissWatcher` puts a hook around that
function, so a cache hit never meets our code. On a miss, the hook

1. reads what is asked for, and puts it on the stack of the misses under way in this thread;
2. asks the limits whether it may be made, and where not, raises their error in place of it;
3. has the framework make it, takes it off the stack, and its cost out of that of the one around it;
4. asks the limits whether it may be kept, and tells of it; or tells that it has failed.

Errors of ours are written down and never reach the program. A framework answers the questions that are left open here:
`_place`, `_read` and `_event`. It may follow what was made (`_follow`), tell how often functions were called (`settle`,
`renew`), and have a way of its own to end a trace (`_made`, `_failed`, `_refuse`).
"""

from __future__ import annotations

import abc
import dataclasses
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from traceonce.facts import CallSite, FunctionId, Phase, Signature, TraceEvent
from traceonce.facts.error_text import describe_error
from traceonce.frameworks.base.backend import Sink, Watching
from traceonce.frameworks.base.closed_over import describe_sizes, roots_of
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.memory import resident_bytes
from traceonce.frameworks.base.own_errors import OwnErrors


@dataclasses.dataclass(eq=False, kw_only=True)
class Miss:
    """A trace or compilation under way: what is known before it ends. A framework adds what it has read.

    `permitted` says that it may be made, and that nobody has been told of its end yet; where it is false from the
    start, no limit is asked. What is `abstract` is made to be looked at and never run: part of the work around it, and
    nobody's `parent`. It has `began` once the framework is known to have nothing that serves.
    """

    call: int | None = None
    permitted: bool = True
    abstract: bool = False
    parent: int | None = None
    event: int = dataclasses.field(default_factory=number_event)
    start: float = dataclasses.field(default_factory=time.time)
    began: float | None = None
    seconds: float | None = None
    inner: float = 0.0  # seconds of the misses inside of it
    resident: int | None = dataclasses.field(default_factory=resident_bytes)
    grown: int | None = None
    inner_bytes: int = 0

    def measured(self) -> dict[str, Any]:
        """The fields of its event that are the same for every framework."""
        seconds, grown = self.seconds, self.grown
        return {
            "id": self.event,
            "start": self.start,
            "call": self.call,
            "seconds": round(seconds, 6) if seconds is not None else None,
            "exclusive_seconds": round(max(seconds - self.inner, 0.0), 6) if seconds is not None else None,
            "bytes": grown - self.inner_bytes if grown is not None else None,
            "thread": threading.current_thread().name,
            "parent": self.parent,
        }


M = TypeVar("M", bound=Miss)


class _Bound(Protocol):
    """A Python function, and the object that it is bound to."""

    @property
    def python(self) -> Any: ...

    @property
    def instance(self) -> Any: ...


class _UnderWay(threading.local, Generic[M]):
    """The misses under way in a thread, the innermost last."""

    def __init__(self) -> None:  # called anew in every thread
        self.stack: list[M] = []


class MissWatcher(Watching, abc.ABC, Generic[M]):
    """Watches the misses of one framework. `hook` says how, in a few words."""

    backend: str
    begins_later = False  # does the framework look for something to use inside the function that is watched?

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._problem = OwnErrors(sink.write)
        self._under_way: _UnderWay[M] = _UnderWay()
        self._hooks = Hooks()
        self._stopped = False  # where somebody has put a wrapper around ours, ours stays in place

    def start(self) -> None:
        """Put the hooks in place: all of them, or none."""
        try:
            self._place()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._stopped = True
        self._hooks.close()

    @abc.abstractmethod
    def _place(self) -> None:
        """Put the hooks in place; `_on_miss` goes around the function that the framework calls on a miss."""

    @abc.abstractmethod
    def _read(self, caller: types.FrameType, /, *args: Any, **kwargs: Any) -> M | None:
        """What is asked for by a call of the function that is watched; None for what is not to be told of."""

    @abc.abstractmethod
    def _event(self, miss: M, made: Any = None) -> TraceEvent:
        """The miss as data: before it is made, when it is `made`, and when it has failed."""

    def _follow(self, miss: M, event: TraceEvent, made: Any) -> None:
        """Something new is made, and told of: remember it, and watch what comes of it."""

    def _made(self, miss: M, made: Any) -> BaseException | None:
        """It is made: tell of it. Returns the error to raise where a limit does not let it be kept."""
        return self._keep(miss, self._event(miss, made), made)

    def _failed(self, miss: M, error: BaseException) -> None:
        """It raised, or was refused. Before it was made that is no trace, and there is nothing to tell."""
        if miss.permitted and miss.began is not None:
            self._tell_failed(miss, error)

    def _refuse(self, miss: M, refusal: BaseException, *, made: bool) -> BaseException:
        """A limit does not let it be made, or be kept: what is to be raised."""
        return refusal

    def _on_miss(self, original: Any) -> Any:
        def on_miss(*args: Any, **kwargs: Any) -> Any:
            miss = self._begin(sys._getframe(1), args, kwargs)
            try:
                refusal = None if self.begins_later else self._permit(miss)
                if refusal is None:
                    made = original(*args, **kwargs)
                    refusal = self._end(miss, made)
                if refusal is not None:
                    raise refusal
            except BaseException as error:
                self._fail(miss, error)
                leave_no_frame(error)
                raise
            return made

        return on_miss

    def _begin(self, caller: types.FrameType, args: Any, kwargs: Any) -> M | None:
        if self._stopped:
            return None
        try:
            miss = self._read(caller, *args, **kwargs)
            if miss is not None:
                stack = self._under_way.stack
                miss.parent = next((around.event for around in reversed(stack) if not around.abstract), miss.parent)
                stack.append(miss)
        except Exception as error:
            self._problem(error)
            return None
        return miss

    def _permit(self, miss: M | None) -> BaseException | None:
        """It is about to be made. Where a limit is reached: the error that the program gets instead."""
        if miss is None:
            return None
        miss.began = time.perf_counter()
        if not miss.permitted:
            return None
        try:
            refusal = self._sink.permit(self._event(miss), made=False)
            miss.permitted = refusal is None
            if refusal is not None:
                refusal = self._refuse(miss, refusal, made=False)
        except Exception as error:
            self._problem(error)
            refusal = None
        miss.began = time.perf_counter()  # the limits took their time
        return refusal

    def _end(self, miss: M | None, made: Any) -> BaseException | None:
        if miss is None:
            return None
        try:
            self._leave(miss)
            return self._made(miss, made)
        except Exception as error:
            self._problem(error)
            return None

    def _fail(self, miss: M | None, error: BaseException) -> None:
        if miss is None:
            return
        try:
            self._leave(miss)
            self._failed(miss, error)
        except Exception as problem:
            self._problem(problem)

    def _leave(self, miss: M) -> None:
        """Take a miss off the stack, and its cost out of that of the one around it; once."""
        stack = self._under_way.stack
        if miss not in stack:
            return
        while stack.pop() is not miss:
            pass
        if miss.began is None:  # the framework had something to use
            return
        miss.seconds = time.perf_counter() - miss.began
        resident = resident_bytes()
        miss.grown = resident - miss.resident if resident is not None and miss.resident is not None else None
        if stack:
            stack[-1].inner += miss.inner if miss.abstract else miss.seconds
            stack[-1].inner_bytes += miss.inner_bytes if miss.abstract else miss.grown or 0

    def _innermost(self) -> M | None:
        stack = self._under_way.stack
        return stack[-1] if stack else None

    def _keep(self, miss: M, event: TraceEvent, made: Any) -> BaseException | None:
        """Ask whether it may be kept, and tell of it."""
        refusal = self._sink.permit(event, made=True)
        if refusal is not None:
            return self._refuse(miss, refusal, made=True)
        miss.permitted = False
        self._sink.write(event)
        self._follow(miss, event, made)
        return None

    def _tell_failed(self, miss: M, error: BaseException) -> None:
        event = self._event(miss)
        phase: Phase = "internal" if event.phase == "internal" else "failed"
        self._sink.write(msgspec.structs.replace(event, phase=phase, error=describe_error(error)))

    def _sizes(
        self, read: Callable[[], Mapping[str, Any]], captured: Callable[[], Iterable[Any]], of: _Bound
    ) -> dict[str, str]:
        """The sizes of what the first trace of a function object has read and captured."""
        try:
            return describe_sizes(read(), captured(), roots_of(of.python, of.instance))
        except Exception as error:  # the trace is told of all the same
            self._problem(error)
            return {}

    def _tell_backward(self, function: FunctionId, start: float, seconds: float, site: CallSite | None = None) -> None:
        """The graph of the gradients was built, or compiled."""
        self._sink.write(
            TraceEvent(
                id=number_event(),
                backend=self.backend,
                function=function,
                signature=Signature(),
                start=start,
                kind="backward",
                phase="internal",
                seconds=round(seconds, 6),
                call_site=site,
                thread=threading.current_thread().name,
            )
        )

    def _guard(self, *works: Callable[[], None]) -> None:
        """Do each; what goes wrong in one is written down, and keeps nobody from the next."""
        for work in works:
            try:
                work()
            except Exception as error:
                self._problem(error)
