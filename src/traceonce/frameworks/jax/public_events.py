"""The fallback for versions of JAX that we do not know: its public events, and the frame of the call that missed.

An event of `jax.monitoring` comes when a trace has been made, in the thread that made it; the frame of `cache_miss`
further up holds the function and its arguments. So traces are told with their arguments, their times and their call
sites; but calls are not counted, nor are stale values and compilations without a trace seen.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from traceonce.errors import BackendUnavailable
from traceonce.facts import Ran, TraceEvent
from traceonce.frameworks.base.backend import Sink
from traceonce.frameworks.base.identities import ByIdentity
from traceonce.frameworks.base.late_watcher import LateWatcher
from traceonce.frameworks.jax.executions import COMPILED, LOWERED
from traceonce.frameworks.jax.functions import bound_values, describe_function
from traceonce.frameworks.jax.jax_config import NAMED
from traceonce.frameworks.jax.listener import Listening
from traceonce.frameworks.jax.memories import Memories
from traceonce.frameworks.jax.notices import NO_CALLS_ALONE
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.signatures import SignatureReader
from traceonce.words.sentence import noticed

TRACED = "/jax/core/compile/jaxpr_trace_duration"


class PublicSettings:
    """The settings that a program changes, read in public."""

    are_named = False

    def __init__(self, config: Any) -> None:
        self._config = config

    def now(self) -> dict[str, str]:
        found = {name.removeprefix("jax_"): getattr(self._config, name, None) for name in NAMED}
        return {name: str(value) for name, value in found.items() if value is not None}

    def read(self, context: tuple[Any, ...]) -> dict[str, str]:
        return {}


class MonitoredWatching(LateWatcher):
    """Watches the events of `jax.monitoring`."""

    backend = "jax"
    hook = "events (jax.monitoring); no calls"

    def __init__(self, jax: Any, sink: Sink, why: str) -> None:
        places = JaxPlaces(jax)
        super().__init__(sink, places)
        self._files = places
        self._numbers = ByIdentity()
        self._memories = Memories()
        self._local = threading.local()
        try:
            self._signatures = SignatureReader(jax.tree_util, jax.typeof, PublicSettings(jax.config))
            self._listening = Listening(self._heard)
            self._listening.start()
        except (ImportError, AttributeError) as error:
            raise BackendUnavailable(f"{why}, and it has no jax.monitoring either: {error}") from error
        sink.write(noticed(NO_CALLS_ALONE(why=why)))

    def renew(self) -> Callable[[str], int]:
        self._memories.renew()
        return lambda key: 0

    def stop(self) -> None:
        self._listening.stop()

    def _heard(self, event: str, seconds: float, **details: Any) -> None:
        """JAX calls this before it keeps the trace, so that an error raised here refuses it."""
        refusal = self._take(event, seconds) if event in (TRACED, LOWERED, COMPILED) else None
        if refusal is not None:
            raise refusal

    def _take(self, name: str, seconds: float) -> BaseException | None:
        try:
            if name != TRACED:
                self._compiled(name, seconds)
                return None
            frame = _missed(sys._getframe(2))
            event, function = self._describe(frame, seconds) if frame is not None else (None, None)
            if event is None:
                return None
            refusal = self._tell(event)
            if refusal is None:
                self._memories.add(function, event.signature)
                self._memories.tell(function)
                self._local.last, self._local.seconds = event.id, 0.0
        except Exception as error:
            self._problem(error)
            return None
        return refusal

    def _compiled(self, name: str, seconds: float) -> None:
        last = getattr(self._local, "last", None)
        if last is None:
            return
        self._local.seconds += seconds
        if name == COMPILED:
            seconds = round(self._local.seconds, 6)
            self._sink.write(Ran(last, seconds, preparing=seconds))
            self._local.last = None

    def _describe(self, frame: types.FrameType, seconds: float) -> tuple[TraceEvent | None, Any]:
        here = frame.f_locals
        info = here.get("jit_info")
        function = here.get("fun", getattr(info, "fun", None))
        described = describe_function(function, self._files)
        if described.internal or info is None:
            return None, None
        signature = self._signatures.read(info, here["args"], here["kwargs"], None)
        earlier = self._memories.of(function)
        if signature in earlier:  # JAX had it: it tells of that, too
            return None, None
        event = self._event(
            function=described.id,
            signature=signature,
            earlier=self._memories.earlier(function),
            start=time.time() - seconds,
            phase="retrace" if earlier else "first",
            object=self._numbers.number(function),
            seconds=round(seconds, 6),
            exclusive_seconds=round(seconds, 6),
            reads={} if earlier else bound_values(function, self._numbers.number),
            raw_reason="seen through a public event: the trace is known, but not what JAX compared",
        )
        return event, function


def _missed(frame: types.FrameType | None) -> types.FrameType | None:
    """The call that needed the trace: the innermost one that JAX had to serve in Python."""
    while frame is not None:
        if frame.f_code.co_name == "cache_miss" and frame.f_code.co_filename.endswith("pjit.py"):
            return frame
        frame = frame.f_back
    return None
