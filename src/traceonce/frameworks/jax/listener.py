"""A listener of `jax.monitoring`, and how to take it out again: in public from 0.8 on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Listening:
    """Hears of durations while it is started."""

    def __init__(self, listener: Callable[..., None]) -> None:
        from jax import monitoring

        self._monitoring: Any = monitoring
        self._listener = listener
        self._started = False

    def start(self) -> None:
        self._monitoring.register_event_duration_secs_listener(self._listener)
        self._started = True

    def stop(self) -> None:
        if not self._started:
            return
        self._started = False
        try:
            unregister = getattr(self._monitoring, "unregister_event_duration_listener", None)
            if unregister is None:
                from jax._src import monitoring

                unregister = monitoring._unregister_event_duration_listener_by_callback
            unregister(self._listener)
        except (AssertionError, AttributeError, ImportError, ValueError):  # the program has cleared all listeners
            return
