"""A rehearsal of a JAX program: all hooks in place, and everything that they saw.

Random numbers need no care: JAX's come from keys that the program makes. What a jitted function returns depends on its
arguments and on what it was traced with, and on nothing else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from traceonce.backends.hooks import Hooks
from traceonce.backends.jax.listening import Listening
from traceonce.backends.jax.own_files import JaxPlaces
from traceonce.backends.jax.rehearsing.proxies import Calling, Proxies, Rehearsed, bind_arguments
from traceonce.backends.jax.rehearsing.values import JaxArrays, JaxValues
from traceonce.backends.rehearsing.calls import Calls
from traceonce.backends.rehearsing.here import Here, Problems
from traceonce.backends.rehearsing.locating import Locator
from traceonce.backends.rehearsing.makings import Makings
from traceonce.backends.rehearsing.probing import LARGEST, Kept, Probing
from traceonce.backends.rehearsing.seeding import PlainSeeds
from traceonce.backends.rehearsing.sites import Sites
from traceonce.errors import BackendUnavailable
from traceonce.facts.rehearsal import Probed, Rehearsal, RehearsalSettings

TRACED = "/jax/core/compile/jaxpr_trace_duration"


class JaxRehearsing:
    """Starts when it is made, in the thread whose time counts."""

    def __init__(self, settings: RehearsalSettings, enough: Callable[[], None]) -> None:
        import jax

        try:
            from jax._src import core, pjit
            from jax._src.interpreters.partial_eval import DynamicJaxprTrace
        except ImportError as error:
            raise BackendUnavailable(f"a module of JAX is not where it was ({error}): no results are kept") from error
        if not hasattr(pjit, "_cpp_pjit") or not hasattr(core, "trace_ctx"):
            raise BackendUnavailable(f"JAX {jax.__version__} makes jitted functions in an unknown way: none is kept")
        self._jax = jax
        self._core = core
        self._tracing = DynamicJaxprTrace
        self._thread = threading.get_ident()
        self._here = here = Here({})
        self._problems = problems = Problems()
        files = JaxPlaces(jax)
        locator = Locator(files)
        self._eager = settings.eager
        self._disabled = jax.config.jax_disable_jit
        self._kept = _Kept(settings.probe, (jax.Array,))
        self._sites = Sites(locator, self._kind_of)
        self._makings = Makings(locator)
        self._calls = Calls(
            here,
            problems,
            JaxValues(jax, as_traced=settings.eager),
            self._sites,
            self._kept,
            users=lambda owner: owner.traceonce_function,
            bind=bind_arguments,
            is_plain=core.trace_state_clean,
            most=settings.calls,
            enough=enough,
        )
        self._hooks = Hooks()
        self._seeds = PlainSeeds()
        self._calling = Calling(self._calls)
        self._listening = Listening(self._listen)
        try:
            self._listening.start()
            Proxies(files, here, problems, self._makings).place(self._hooks, pjit)
            self._calling.start()
            if settings.eager:
                jax.config.update("jax_disable_jit", True)
        except BaseException:
            self.stop()
            raise
        self._began = time.perf_counter()

    def is_tracing(self) -> bool:
        """What stands between a trace and the print may be a transformation of JAX's: `grad`, `vmap`."""
        trace = self._core.trace_ctx.trace
        while trace is not None:
            if isinstance(trace, self._tracing):
                return True
            trace = getattr(trace, "parent_trace", None)
        return False

    def result(self) -> Rehearsal:
        seconds = time.perf_counter() - self._began - self._here.aside_in(self._thread)
        return Rehearsal(
            returned=self._calls.all(),
            makings=self._makings.all(),
            sites=self._sites.all(),
            seconds=round(seconds, 6),
            problems=self._problems.texts,
        )

    def probe(self) -> Iterator[Probed]:
        values = JaxValues(self._jax, as_traced=self._eager)
        arrays = JaxArrays(self._jax)
        return Probing(arrays, self._kept, self._here, self._problems, values, (self._seeds.save,)).run()

    def stop(self) -> None:
        self._calling.stop()
        self._hooks.close()
        self._seeds.stop()
        self._listening.stop()
        if self._eager:
            self._jax.config.update("jax_disable_jit", self._disabled)

    def _listen(self, event: str, duration: float, **_: Any) -> None:
        if event == TRACED:
            self._here.traces += 1

    def _kind_of(self, thing: Any) -> str | None:
        if not isinstance(thing, self._jax.Array):
            return None
        weak = "weak " if getattr(thing, "weak_type", False) else ""
        return f"{weak}tensor {thing.dtype}"


class _Kept(Kept):
    """An array that is given away (`donate_argnums`) is gone after the call: a copy is kept."""

    def keep(self, function: Any, owner: Rehearsed, bound: Any) -> None:
        self._copying = owner.traceonce_donates
        super().keep(function, owner, bound)

    def _hold(self, value: Any) -> Any:
        import numpy as np

        if self._copying and isinstance(value, self._held) and getattr(value, "size", 0) <= LARGEST:
            return np.array(value)
        return super()._hold(value)
