"""The private places of JAX that we stand on, in one file, checked before use.

JAX tells in public (`jax.monitoring`) that it traced, lowered or compiled something, and how long that took; not what,
nor for which arguments. In 0.6 to 0.12 one function of `pjit` is called when a call of a jitted function needs a trace
(`_infer_params_impl`, from 0.9 on `_trace_for_jit`), one when a call is not served by the compiled fast path
(`_pjit_call_impl_python`), and two decide about that path. On any other version, or where something has moved, `probe`
says what, and the watcher falls back to the public events.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

OLDEST = (0, 6)
NEWEST = (0, 12)
OF_TRACING = {  # the place, what it takes (in 0.9.0: less), and the event of a trace that is really made
    "_trace_for_jit": (
        [["fun", "ji", "ctx_mesh", "dbg", "avals", "args", "kwargs"], ["fun", "ji", "args", "kwargs"]],
        "trace_to_jaxpr",
    ),
    "_infer_params_impl": (
        [["fun", "ji", "ctx_mesh", "dbg", "args", "kwargs", "in_avals"]],
        "create_pjit_jaxpr",
    ),
}


class Moved(Exception):  # noqa: N818  # it is a finding, not an error: there is a fallback
    """A private place is not where this version of traceonce expects it; the message says which."""


class Probes(NamedTuple):
    """The modules of JAX that we use, imported and checked.

    `tracing` names the function of `pjit` that makes a trace, with its `parameters`; `began` is the event that it
    reports when it does not find one, and `reporting` the module whose `test_event` hears of that.
    """

    jax: Any
    pjit: Any
    core: Any
    config: Any
    tree_util: Any
    tracing: str
    parameters: list[str]
    began: str
    reporting: Any

    def forget(self, function: Any) -> None:
        """Have JAX forget the traces of a Python function: the only one it has was refused."""
        if self.tracing == "_trace_for_jit":
            self.reporting.trace_to_jaxpr.evict_weakref(function)
        else:
            self.pjit._create_pjit_jaxpr.evict_function(function)


def version_of(jax: Any) -> tuple[int, int]:
    major, minor = str(jax.__version__).split(".")[:2]
    return int(major), int(minor)


def probe(jax: Any) -> Probes:
    """Return the places that we need, or raise `Moved`."""
    if not OLDEST <= version_of(jax) <= NEWEST:
        known = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise Moved(f"JAX {jax.__version__} is not supported by this traceonce (supported: {known})")
    try:
        from jax._src import config, core, pjit, tree_util, util
        from jax._src.interpreters import partial_eval
    except ImportError as error:
        raise Moved(f"a JAX module has moved: {error}") from error
    tracing = next((name for name in OF_TRACING if hasattr(pjit, name)), None)
    if tracing is None:
        raise Moved(f"{pjit.__name__} has neither {' nor '.join(OF_TRACING)}")
    possible, began = OF_TRACING[tracing]
    parameters = _expect(pjit, tracing, *possible)
    reporting = partial_eval if tracing == "_trace_for_jit" else util
    _expect(reporting, "test_event", ["name", "args"])
    for owner, name in (
        (pjit, "_get_fastpath_data"),
        (pjit, "_need_to_rebuild_with_fdo"),
        (pjit, "_pjit_call_impl_python"),
        (core, "trace_state_clean"),
        (core, "shaped_abstractify"),
        (config, "trace_context"),
        (config, "no_tracing"),
        (config, "config_states"),
        (tree_util, "tree_flatten_with_path"),
    ):
        if not hasattr(owner, name):
            raise Moved(f"{owner.__name__}.{name} is gone")
    if hasattr(pjit, "_infer_params_cached") and not hasattr(pjit._infer_params_cached, "cache_keys"):
        raise Moved(f"{pjit.__name__}._infer_params_cached has no cache_keys")
    forgetting = "evict_weakref" if reporting is partial_eval else "evict_function"
    made = partial_eval.trace_to_jaxpr if reporting is partial_eval else getattr(pjit, "_create_pjit_jaxpr", None)
    if not hasattr(made, forgetting):
        raise Moved(f"JAX does not allow a trace to be removed ({forgetting})")
    return Probes(jax, pjit, core, config, tree_util, tracing, parameters, began, reporting)


def _expect(owner: Any, name: str, *possible: list[str]) -> list[str]:
    """What a function takes: one of the lists of parameters that we know."""
    function = getattr(owner, name, None)
    if function is None:
        raise Moved(f"{owner.__name__}.{name} is gone")
    found = list(inspect.signature(function).parameters)
    if found not in possible:
        raise Moved(f"{owner.__name__}.{name} takes {found}, not {possible[0]}")
    return found
