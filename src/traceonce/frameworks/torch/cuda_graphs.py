"""CUDA graphs that are recorded again for each size, under one compilation (``mode="reduce-overhead"``).

`cudagraph_trees.cudagraphify` is called for each combination of open sizes that a compiled graph has not met before,
and never where one has its CUDA graph: PyTorch counts those to warn of too many. No compilation tells of them. What a
recording costs is not known here: PyTorch runs the graph once, and records it at the next call of that size.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from traceonce.facts import CallSite, Signature, TraceEvent
from traceonce.frameworks.base.arrival import Arrivals
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.torch.requests import Request

TREES = "torch._inductor.cudagraph_trees"
RECORDS = "cudagraphify"
REMEMBERED = 1024  # compilations


class Compiled(NamedTuple):
    """A compilation: what was asked for, and its event."""

    request: Request
    event: TraceEvent


class CudaGraphs:
    """Tells of each of them as of a compilation without a trace."""

    def __init__(
        self,
        hooks: Hooks,
        write: Callable[[TraceEvent], None],
        read: Callable[[Request, types.FrameType], tuple[Signature, CallSite | None]],
        problem: Callable[[Exception], None],
    ) -> None:
        self._hooks = hooks
        self._write = write
        self._read = read
        self._problem = problem
        self._compiled: dict[str, Compiled] = {}
        self._begun: set[str] = set()
        self._arrivals = Arrivals([TREES], self._arrived)

    def start(self) -> None:
        self._arrivals.start()

    def stop(self) -> None:
        self._arrivals.stop()
        self._compiled.clear()

    def expect(self, request: Request, event: TraceEvent) -> None:
        """This was compiled; it may come to record CUDA graphs."""
        if len(self._compiled) >= REMEMBERED:
            del self._compiled[next(iter(self._compiled))]
        kept = request._replace(described=request.described._replace(values={}), names={}, reads={}, earlier=())
        self._compiled[str(request.compile_id)] = Compiled(kept, event)

    def _arrived(self, name: str) -> None:
        module = sys.modules[name]
        if isinstance(getattr(module, RECORDS, None), types.FunctionType):
            self._hooks.place(module, RECORDS, self._hook)

    def _hook(self, original: Any) -> Any:
        def cudagraphify(*args: Any, **kwargs: Any) -> Any:
            start = time.time()
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            try:
                compiled = self._compiled.get(str(kwargs.get("compile_id")))
                if compiled is not None and not kwargs.get("is_backward"):  # it has its own, for the same sizes
                    self._tell(compiled, str(kwargs["compile_id"]), start)
            except Exception as error:
                self._problem(error)
            return result

        return cudagraphify

    def _tell(self, compiled: Compiled, graph: str, start: float) -> None:
        request, event = compiled
        again = graph in self._begun
        self._begun.add(graph)
        frame = _frame_of(request.code)
        called, site = self._read(request, frame) if frame is not None else (event.signature, event.call_site)
        self._write(
            TraceEvent(
                id=number_event(),
                backend=event.backend,
                function=event.function,
                signature=_sized(event.signature, called),
                start=start,
                kind="compile",
                phase="retrace" if again else "first",
                object=event.object,
                graph=graph,
                call_site=site,
                thread=threading.current_thread().name,
                parent=event.id,
            )
        )


def _frame_of(code: types.CodeType) -> types.FrameType | None:
    """The frame of the compiled function that is being called: its code is PyTorch's, its names are the user's."""
    where = (code.co_filename, code.co_name, code.co_firstlineno)
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if (frame.f_code.co_filename, frame.f_code.co_name, frame.f_code.co_firstlineno) == where:
            return frame
        frame = frame.f_back
    return None


def _sized(compiled: Signature, called: Signature) -> Signature:
    """What it was compiled for, in the sizes of this call: nothing else makes another CUDA graph."""
    sizes = {leaf.path: leaf.shape for leaf in called.leaves if leaf.shape is not None}
    numbers = {leaf.path: leaf.value for leaf in called.leaves if leaf.kind == "python" and leaf.type_name == "int"}
    leaves = tuple(
        msgspec.structs.replace(leaf, shape=sizes.get(leaf.path, leaf.shape), value=numbers.get(leaf.path, leaf.value))
        for leaf in compiled.leaves
    )
    return msgspec.structs.replace(compiled, leaves=leaves)
