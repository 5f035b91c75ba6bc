"""The fallback for versions of TensorFlow that we do not know: its own list of callbacks, there in every version.

A callback gets each new concrete function when it is done. So traces are counted and their signatures compared, but
there is no time, no count of calls, and the request is taken to be what was traced.
"""

from __future__ import annotations

from typing import Any

from traceonce.facts import FunctionId, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.late_watcher import LateWatcher
from traceonce.frameworks.base.places import current_frames
from traceonce.frameworks.tensorflow.notices import COUNTS_ALONE
from traceonce.frameworks.tensorflow.own_files import tensorflow_places
from traceonce.frameworks.tensorflow.signatures import SignatureReader
from traceonce.words.sentence import noticed


class CallbackWatching(LateWatcher):
    """Watches `transform.CONCRETE_FUNCTION_CALLBACKS`."""

    backend = "tensorflow"
    hook = "new concrete functions (CONCRETE_FUNCTION_CALLBACKS); no times, no calls"

    def __init__(self, tensorflow: Any, callbacks: list[Any], sink: Sink, why: str) -> None:
        super().__init__(sink, tensorflow_places(tensorflow))
        self._callbacks = callbacks
        self._reader = SignatureReader()
        sink.write(noticed(COUNTS_ALONE(why=why)))
        callbacks.append(self._traced)

    def stop(self) -> None:
        if self._traced in self._callbacks:
            self._callbacks.remove(self._traced)

    def _traced(self, concrete: Any) -> None:
        """TensorFlow calls this before it keeps the trace, so that an error raised here refuses it."""
        refusal = None
        try:
            refusal = self._tell(self._describe(concrete))
        except Exception as error:
            self._problem(error)
        if refusal is not None:
            raise refusal

    def _describe(self, concrete: Any) -> TraceEvent:
        name = str(getattr(concrete.graph, "name", None) or concrete.name)
        user = next((f for f in reversed(current_frames()) if self._places.is_user(f.file)), None)
        return self._event(
            function=FunctionId(name, self._places.shorten(user.file) if user else None),
            signature=self._reader.read(concrete.function_type, None),
            dead=self._reader.identities.take_dead(),
            nodes=len(concrete.graph.get_operations()),
            phase="internal" if name.startswith(("Dataset_", "initialize_variables")) else "first",
            raw_reason="seen through a callback: the trace is known, but not what was requested",
        )
