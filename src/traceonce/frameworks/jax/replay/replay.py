"""A replay of a JAX program: all hooks in place, and everything that they saw.

Random numbers need no care: JAX's come from keys that the program makes. What a jitted function returns depends on its
arguments and on what it was traced with, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from traceonce.errors import BackendUnavailable
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.base.replay.argument_leaves import bind
from traceonce.frameworks.base.replay.beyond_the_run import LARGEST, KeptCalls
from traceonce.frameworks.base.replay.replay import Replay
from traceonce.frameworks.base.replay.seeds import PlainSeeds
from traceonce.frameworks.base.replay.source_places import Locator
from traceonce.frameworks.jax.listener import Listening
from traceonce.frameworks.jax.own_files import JaxPlaces
from traceonce.frameworks.jax.replay.proxies import Calling, Proxies, Replayed
from traceonce.frameworks.jax.replay.values import JaxArrays, JaxValues

TRACED = "/jax/core/compile/jaxpr_trace_duration"


class JaxReplay(Replay):
    """Starts when it is made, in the thread whose time counts."""

    def __init__(self, settings: ReplaySettings, enough: Callable[[], None]) -> None:
        import jax

        try:
            from jax._src import core, pjit
            from jax._src.interpreters.partial_eval import DynamicJaxprTrace
        except ImportError as error:
            raise BackendUnavailable(f"a module of JAX is not where it was ({error}): no results are kept") from error
        if not hasattr(pjit, "_cpp_pjit") or not hasattr(core, "trace_ctx"):
            raise BackendUnavailable(f"JAX {jax.__version__} makes jitted functions in an unknown way: none is kept")
        files = JaxPlaces(jax)
        super().__init__(
            settings,
            enough,
            locator=Locator(files),
            kept=_Kept(settings.probe, (jax.Array,)),
            values=lambda: JaxValues(jax, as_traced=settings.eager),
            arrays=JaxArrays(jax),
            users=lambda owner: owner.traceonce_function,
            bind=lambda owner, args, kwargs: bind(owner.traceonce_signature, args, kwargs),
            is_plain=core.trace_state_clean,
        )
        self._jax = jax
        self._core = core
        self._pjit = pjit
        self._tracing = DynamicJaxprTrace
        self._disabled = jax.config.jax_disable_jit
        self._seeds = PlainSeeds()
        self._proxies = Proxies(files, self._here, self._problems, self._makings)
        self._calling = Calling(self._calls)
        self._listening = Listening(self._listen)
        self.start()

    def is_tracing(self) -> bool:
        """What stands between a trace and the print may be a transformation of JAX's: `grad`, `vmap`."""
        trace = self._core.trace_ctx.trace
        while trace is not None:
            if isinstance(trace, self._tracing):
                return True
            trace = getattr(trace, "parent_trace", None)
        return False

    def stop(self) -> None:
        self._calling.stop()
        super().stop()
        self._seeds.stop()
        self._listening.stop()

    def _place(self) -> None:
        self._listening.start()
        self._proxies.place(self._hooks, self._pjit)
        self._calling.start()

    def _run_eagerly(self, eagerly: bool) -> None:
        self._jax.config.update("jax_disable_jit", eagerly or self._disabled)

    def _savings(self) -> Sequence[Callable[[], Callable[[], None]]]:
        return (self._seeds.save,)

    def _listen(self, event: str, duration: float, **_: Any) -> None:
        if event == TRACED:
            self._here.traces += 1


class _Kept(KeptCalls):
    """An array that is given away (`donate_argnums`) is gone after the call: a copy is kept."""

    def keep(self, function: Any, owner: Replayed, bound: Any) -> None:
        self._copying = owner.traceonce_donates
        super().keep(function, owner, bound)

    def _hold(self, value: Any) -> Any:
        import numpy as np

        if self._copying and isinstance(value, self._held) and getattr(value, "size", 0) <= LARGEST:
            return np.array(value)
        return super()._hold(value)
