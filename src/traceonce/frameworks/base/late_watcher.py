"""The fallback for versions of a framework that we do not know: what it tells in public of a trace that it has made.

Such a trace can be refused, by what is raised where it is told, but is not timed by us, and calls are not counted.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from traceonce.facts import TraceEvent
from traceonce.frameworks.base.backend import Sink, Watching
from traceonce.frameworks.base.event_numbers import number_event
from traceonce.frameworks.base.own_errors import OwnErrors
from traceonce.frameworks.base.places import Places, current_frames


class LateWatcher(Watching):
    """What the fallbacks have in common. Whatever goes wrong on our side is written down, and never raised."""

    backend: str

    def __init__(self, sink: Sink, places: Places) -> None:
        self._sink = sink
        self._places = places
        self._problem = OwnErrors(sink.write)

    def _event(self, **known: Any) -> TraceEvent:
        """What is known of a trace, with where and when it was made."""
        frames = current_frames()
        here = {
            "id": number_event(),
            "backend": self.backend,
            "start": time.time(),
            "call_site": self._places.call_site(frames),
            "stack": self._places.visible(frames),
            "thread": threading.current_thread().name,
        }
        return TraceEvent(**{**here, **known})

    def _tell(self, event: TraceEvent) -> BaseException | None:
        """Tell of it; or, where a limit does not let it be kept, what is to be raised."""
        refusal = self._sink.permit(event, made=True)
        if refusal is None:
            self._sink.write(event)
        return refusal
