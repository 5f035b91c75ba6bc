"""Tells traceonce of every trace."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import toyframe
from toyframe.for_traceonce.notes import UNWOUND
from traceonce.facts import (
    Calls,
    CallSite,
    Cause,
    CauseCode,
    Finding,
    Frame,
    FunctionId,
    Leaf,
    Ran,
    Signature,
    TraceEvent,
)
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.miss_watcher import Miss, MissWatcher
from traceonce.frameworks.base.places import Places, current_frames
from traceonce.words.notes import noted


def identity_of(function: toyframe.Traced, places: Places) -> FunctionId:
    code = function.python.__code__
    return FunctionId(function.python.__qualname__, places.shorten(code.co_filename), code.co_firstlineno)


@dataclasses.dataclass(eq=False, kw_only=True)
class ToyMiss(Miss):
    owner: toyframe.Traced
    signature: Signature
    site: CallSite | None
    stack: tuple[Frame, ...]


class ToyWatcher(MissWatcher[ToyMiss]):
    hook = "the function of toyframe that traces"
    backend = "toyframe"

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._places = Places((toyframe.__file__,))
        self._seen: dict[str, toyframe.Traced] = {}
        self._wound: dict[str, int] = {}
        self.start()

    def _place(self) -> None:
        self._hooks.place(toyframe.Traced, "trace", self._on_miss)

    def _read(self, caller: types.FrameType, /, owner: toyframe.Traced, arguments: inspect.BoundArguments) -> ToyMiss:
        self._seen[identity_of(owner, self._places).key] = owner
        self._wound.setdefault(identity_of(owner, self._places).key, toyframe.winding)
        frames = current_frames()
        leaves = tuple(_leaf(name, value) for name, value in arguments.arguments.items())
        return ToyMiss(
            owner=owner,
            signature=Signature(leaves),
            site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            call=owner.calls,
        )

    def _event(self, miss: ToyMiss, made: Any = None) -> TraceEvent:
        function = identity_of(miss.owner, self._places)
        return TraceEvent(
            **miss.measured(),
            backend=self.backend,
            function=function,
            signature=miss.signature,
            phase="retrace" if miss.owner.known else "first",
            object=id(miss.owner),
            fingerprint=function.key,
            call_site=miss.site,
            stack=miss.stack,
        )

    def _follow(self, miss: ToyMiss, event: TraceEvent, made: Any) -> None:
        self._sink.write(Ran(event.id, 0.0))

    def renew(self) -> Callable[[str], int]:
        counts = self._counts()
        return lambda key: counts.get(key, 0)

    def settle(self) -> None:
        self._sink.write(Calls(self._counts()))
        for key, wound in self._wound.items():
            if wound != toyframe.winding:
                path = "toyframe.winding"
                stale = Cause(CauseCode.STALE, path, str(wound), str(toyframe.winding), evidence="inferred")
                function = identity_of(self._seen[key], self._places)
                self._sink.write(Finding(self.backend, function, noted(stale, UNWOUND(path=path))))

    def _counts(self) -> dict[str, int]:
        return {key: function.calls for key, function in self._seen.items()}


def _leaf(path: str, value: Any) -> Leaf:
    if isinstance(value, np.ndarray):
        return Leaf(path, "tensor", value.dtype.name, value.shape)
    return Leaf(path, "python", value=repr(value), type_name=type(value).__name__)
