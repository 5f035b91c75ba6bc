"""Tells traceonce of every trace."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

import toyframe
from traceonce.backends.base import Sink
from traceonce.backends.numbering import number_event
from traceonce.backends.places import Places, current_frames
from traceonce.facts import Calls, FunctionId, Leaf, Ran, Signature, TraceEvent


def identity_of(function: toyframe.Traced, places: Places) -> FunctionId:
    code = function.python.__code__
    return FunctionId(function.python.__qualname__, places.shorten(code.co_filename), code.co_firstlineno)


class ToyWatching:
    hook = "observers of toyframe"

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._places = Places((toyframe.__file__,))
        self._seen: dict[str, toyframe.Traced] = {}
        toyframe.observers.append(self)

    def begin(self, function: toyframe.Traced, arguments: inspect.BoundArguments) -> TraceEvent:
        identity = identity_of(function, self._places)
        self._seen[identity.key] = function
        frames = current_frames()
        event = TraceEvent(
            id=number_event(),
            backend="toyframe",
            function=identity,
            signature=Signature(tuple(_leaf(name, value) for name, value in arguments.arguments.items())),
            start=time.time(),
            phase="retrace" if function.known else "first",
            call=function.calls,
            object=id(function),
            fingerprint=identity.key,
            call_site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            thread=threading.current_thread().name,
        )
        refusal = self._sink.permit(event, made=False)
        if refusal is not None:
            raise refusal
        return event

    def end(self, event: TraceEvent, seconds: float, error: BaseException | None) -> None:
        self._sink.write(msgspec.structs.replace(event, seconds=seconds, exclusive_seconds=seconds))
        self._sink.write(Ran(event.id, 0.0))

    def renew(self) -> Callable[[str], int]:
        counts = {key: function.calls for key, function in self._seen.items()}
        return lambda key: counts.get(key, 0)

    def settle(self) -> None:
        self._sink.write(Calls({key: function.calls for key, function in self._seen.items()}))

    def stop(self) -> None:
        toyframe.observers.remove(self)


def _leaf(path: str, value: Any) -> Leaf:
    if isinstance(value, np.ndarray):
        return Leaf(path, "tensor", value.dtype.name, value.shape)
    return Leaf(path, "python", value=repr(value), type_name=type(value).__name__)
