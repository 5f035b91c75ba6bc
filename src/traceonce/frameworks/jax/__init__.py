"""JAX: `jax.jit`, from 0.6 on."""

from __future__ import annotations

from collections.abc import Callable

from traceonce.errors import BackendUnavailable
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.backend import Backend, RunningReplay, Sink, Watching, imported
from traceonce.frameworks.jax.descriptor import FRAMEWORK


class Jax(Backend):
    """The backend for JAX; its modules touch the framework inside functions only."""

    framework = FRAMEWORK

    def watch(self, sink: Sink, *, compilations: bool = False) -> Watching:
        jax = imported("jax", "watch")
        from traceonce.frameworks.jax.probes import Moved, probe

        try:
            probes = probe(jax)
        except Moved as moved:
            from traceonce.frameworks.jax.public_events import MonitoredWatching

            return MonitoredWatching(jax, sink, str(moved))
        from traceonce.frameworks.jax.watcher import JaxWatcher

        return JaxWatcher(probes, sink)

    def replay(self, settings: ReplaySettings, enough: Callable[[], None]) -> RunningReplay:
        imported("jax", "replay")
        try:
            from traceonce.frameworks.jax.replay.replay import JaxReplay
        except ImportError as error:
            raise BackendUnavailable(f"its results cannot be kept: {error}") from error
        return JaxReplay(settings, enough)

    def check(self) -> None:
        import jax
        import numpy as np

        toy = jax.jit(lambda x: x + 1)
        toy(np.float32(1))
        toy(np.ones(1, np.float32))
