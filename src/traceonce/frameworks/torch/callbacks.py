"""The fallback for versions of PyTorch that we do not know: its callbacks at the start and the end of a compilation.

They say that something is compiled, and for how long. The function is looked for on the stack; there are no reasons, no
calls, and no errors.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import msgspec

from traceonce.errors import BackendUnavailable
from traceonce.facts import FunctionId, Notice, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.hooks import Hooks
from traceonce.frameworks.base.places import Places, current_frames
from traceonce.frameworks.torch.signatures import SignatureReader


class CallbackWatching:
    """Watches `torch._dynamo.callback.callback_handler`."""

    hook = "compilations (torch._dynamo.callback.callback_handler); no reasons, no calls"

    def __init__(self, torch: Any, sink: Sink, why: str) -> None:
        handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
        if handler is None or not hasattr(handler, "start_callbacks"):
            raise BackendUnavailable(f"{why}, and it has no callbacks either: compilations cannot be watched")
        self._handler = handler
        self._sink = sink
        self._places = Places((torch.__file__,))
        self._reader = SignatureReader(torch)
        self._threads = threading.local()
        self._failed = False
        self._hooks = Hooks()
        sink.write(
            Notice(
                f"{why}: watching through its callbacks, so there are counts, but no reasons, no calls and no limits"
            )
        )
        self._add()
        if hasattr(type(handler), "clear"):
            self._hooks.place(type(handler), "clear", self._after_clearing)

    def renew(self) -> Callable[[str], int]:
        """Nothing to renew: a callback never sees what was compiled before, and counts no calls."""
        return lambda key: 0

    def settle(self) -> None:
        """Nothing is counted here."""

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
        code, frames = compiled.f_code, current_frames()
        file = code.co_filename
        name = getattr(code, "co_qualname", code.co_name)
        return TraceEvent(
            id=number_event(),
            backend="torch",
            function=FunctionId(name, self._places.shorten(file), code.co_firstlineno, not self._places.is_user(file)),
            signature=self._reader.read(code, compiled.f_locals),
            start=time.time(),
            call_site=self._places.call_site(frames),
            stack=self._places.visible(frames),
            thread=threading.current_thread().name,
            raw_reason="seen through a callback: which guards failed is not known",
        )

    def _problem(self, error: Exception) -> None:
        if not self._failed:
            self._failed = True
            text = f"traceonce could not read a compilation: {type(error).__name__}: {error}"
            self._sink.write(Notice(text, error=True))
