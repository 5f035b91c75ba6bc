"""The fallback for versions of TensorFlow that we do not know: its own list of callbacks, there in every version.

A callback gets each new concrete function when it is done. So traces are counted and their signatures compared, but
there is no time, no count of calls, and the request is taken to be what was traced.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from traceonce.facts import FunctionId, Notice, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.places import Places, current_frames
from traceonce.frameworks.tensorflow.signatures import SignatureReader


class CallbackWatching:
    """Watches `transform.CONCRETE_FUNCTION_CALLBACKS`."""

    hook = "new concrete functions (CONCRETE_FUNCTION_CALLBACKS); no times, no calls"

    def __init__(self, tensorflow: Any, callbacks: list[Any], sink: Sink, why: str) -> None:
        self._sink = sink
        self._callbacks = callbacks
        self._places = Places((tensorflow.__file__,))
        self._reader = SignatureReader()
        self._failed = False
        sink.write(
            Notice(f"{why}: watching through its list of callbacks, so there are counts, but no times and no calls")
        )
        callbacks.append(self._traced)

    def renew(self) -> Callable[[str], int]:
        """Nothing to renew: a callback never sees what was traced before, and counts no calls."""
        return lambda key: 0

    def settle(self) -> None:
        """Nothing is counted here."""

    def stop(self) -> None:
        if self._traced in self._callbacks:
            self._callbacks.remove(self._traced)

    def _traced(self, concrete: Any) -> None:
        """TensorFlow calls this before it keeps the trace, so that an error raised here refuses it."""
        refusal = self._tell(concrete)
        if refusal is not None:
            raise refusal

    def _tell(self, concrete: Any) -> BaseException | None:
        try:
            event = self._describe(concrete)
            refusal = self._sink.permit(event, made=True)
            if refusal is None:
                self._sink.write(event)
        except Exception as error:
            if not self._failed:
                self._failed = True
                self._sink.write(
                    Notice(f"traceonce could not read a trace: {type(error).__name__}: {error}", error=True)
                )
            return None
        return refusal

    def _describe(self, concrete: Any) -> TraceEvent:
        frames = current_frames()
        name = str(getattr(concrete.graph, "name", None) or concrete.name)
        site = self._places.call_site(frames)
        user = next((f for f in reversed(frames) if self._places.is_user(f.file)), None)
        return TraceEvent(
            id=number_event(),
            backend="tensorflow",
            function=FunctionId(name, self._places.shorten(user.file) if user else None),
            signature=self._reader.read(concrete.function_type, None),
            dead=self._reader.identities.take_dead(),
            start=time.time(),
            nodes=len(concrete.graph.get_operations()),
            call_site=site,
            stack=self._places.visible(frames),
            thread=threading.current_thread().name,
            phase="internal" if name.startswith(("Dataset_", "initialize_variables")) else "first",
            raw_reason="seen through a callback: what was traced is known, what was asked for is not",
        )
