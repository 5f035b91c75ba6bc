"""The fallback for versions of PyTorch that we do not know: its callbacks at the start and the end of a compilation.

They say that something is compiled, and for how long. The function is looked for on the stack; there are no reasons, no
calls, and no errors.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from typing import Any

import msgspec

from traceonce.errors import BackendUnavailable
from traceonce.facts import FunctionId, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.late_watcher import LateWatcher
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.notices import COUNTS_WITHOUT_REASONS
from traceonce.frameworks.torch.signatures import SignatureReader
from traceonce.words.sentence import noticed


class CallbackWatching(LateWatcher):
    """Watches `torch._dynamo.callback.callback_handler`."""

    backend = "torch"
    hook = "compilations (torch._dynamo.callback.callback_handler); no reasons, no calls"

    def __init__(self, torch: Any, sink: Sink, why: str) -> None:
        handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
        if handler is None or not hasattr(handler, "start_callbacks"):
            raise BackendUnavailable(f"{why}, and it has no callbacks either: compilations cannot be watched")
        super().__init__(sink, Places((torch.__file__,)))
        self._handler = handler
        self._reader = SignatureReader(torch)
        self._threads = threading.local()
        self._hooks = Hooks()
        sink.write(noticed(COUNTS_WITHOUT_REASONS(why=why)))
        self._add()
        if hasattr(type(handler), "clear"):
            self._hooks.place(type(handler), "clear", self._after_clearing)

    def stop(self) -> None:
        self._hooks.close()
        for callbacks, ours in self._ours():
            if ours in callbacks:
                callbacks.remove(ours)

    def _ours(self) -> list[tuple[list[Any], Any]]:
        return [(self._handler.start_callbacks, self._started), (self._handler.end_callbacks, self._ended)]

    def _add(self) -> None:
        for callbacks, ours in self._ours():
            if ours not in callbacks:
                callbacks.append(ours)

    def _after_clearing(self, original: Any) -> Any:
        """`torch._dynamo.reset()` clears the callbacks, ours too: they come back."""

        def clear(handler: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(handler, *args, **kwargs)
            if handler is self._handler:
                self._add()
            return result

        return clear

    def _started(self, *_: Any) -> None:
        try:
            self._threads.event = self._describe(sys._getframe(1))
            self._threads.began = time.perf_counter()
        except Exception as error:
            self._problem(error)

    def _ended(self, *_: Any) -> None:
        try:
            event, self._threads.event = getattr(self._threads, "event", None), None
            if event is not None:
                seconds = round(time.perf_counter() - self._threads.began, 6)
                event = msgspec.structs.replace(event, seconds=seconds, exclusive_seconds=seconds)
                self._sink.permit(event, made=True)  # what it says comes too late to be raised here
                self._sink.write(event)
        except Exception as error:
            self._problem(error)

    def _describe(self, frame: types.FrameType | None) -> TraceEvent | None:
        compiled: Any = None
        while frame is not None and compiled is None:
            if frame.f_code.co_filename.endswith("convert_frame.py"):
                compiled = frame.f_locals.get("frame")
            frame = frame.f_back
        if compiled is None:
            return None
        code, file = compiled.f_code, compiled.f_code.co_filename
        name = getattr(code, "co_qualname", code.co_name)
        return self._event(
            function=FunctionId(name, self._places.shorten(file), code.co_firstlineno, not self._places.is_user(file)),
            signature=self._reader.read(code, compiled.f_locals),
            raw_reason="seen through a callback: the failed guards are unknown",
        )
