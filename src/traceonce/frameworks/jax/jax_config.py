"""JAX's settings, by name: those that it keys a trace on."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.literals import shorten_repr

# The settings that programs change. The others are told where they are not as they were when watching began.
NAMED = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_rank_promotion",
    "jax_numpy_dtype_promotion",
    "jax_default_device",
    "jax_default_prng_impl",
    "jax_disable_jit",
    "jax_debug_key_reuse",
    "jax_random_seed_offset",
    "jax_threefry_partitionable",
    "jax_softmax_custom_jvp",
    "jax_use_shardy_partitioner",
    "jax_eager_constant_folding",
)
_AROUND = ("mesh_context_manager", "abstract_mesh_context_manager", "axis_env_state")
_NOBODYS = {"jax_xla_profile_version"}  # changed by JAX itself as it works


class JaxConfig:
    """Reads them; a name is given without its ``jax_``, as ``jax.config`` and its context managers have it."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._names = _names(config)
        self._usual: dict[str, str] = {}
        everything = self.now()
        often = {name.removeprefix("jax_") for name in NAMED}
        self._usual = {name: text for name, text in everything.items() if name not in often}

    def now(self) -> dict[str, str]:
        if self._names is not None:
            return self.read(self._config.trace_context())
        found: dict[str, str] = {}
        states = self._config.config_states
        for name in NAMED:
            if name in states:
                _keep(found, name, states[name].value)
        for name in _AROUND:
            value = getattr(getattr(self._config, name, None), "value", None)
            _keep(found, name, value)
        for value in self._config.trace_context():
            if _is_axes(value):
                _keep(found, "axis_env_state", value)
        return found

    def read(self, context: tuple[Any, ...]) -> dict[str, str]:
        """The settings in a key of JAX's caches; nothing where this version does not name them."""
        found: dict[str, str] = {}
        for name, value in zip(self._names or (), context, strict=False):
            _keep(found, name, value)
        return {name: text for name, text in found.items() if self._usual.get(name) != text}

    @property
    def are_named(self) -> bool:
        return self._names is not None


def _names(config: Any) -> list[str] | None:
    """The names of what `trace_context` returns, in its order, where this version lets us know."""
    try:
        return [str(name) for name in config.trace_context_names()]
    except (AttributeError, NotImplementedError):
        pass
    code = getattr(config.trace_context, "__code__", None)
    if code is None:
        return None
    names = [name for name in code.co_names if hasattr(getattr(config, name, None), "value")]
    values = config.trace_context()
    agree = len(names) <= len(values) and all(
        getattr(config, name).value is value for name, value in zip(names, values, strict=False)
    )
    return names if agree else None


def _is_axes(value: Any) -> bool:
    return type(value).__name__ == "AxisEnv"


def _keep(found: dict[str, str], name: str, value: Any) -> None:
    if _is_axes(value):
        name, value = "axis_env_state", tuple(getattr(value, "axis_sizes", {}).items())
    if name in _NOBODYS or value is None or value == ():
        return
    if getattr(value, "empty", False) is True:  # a mesh of nothing
        return
    if name == "axis_env_state":
        found["axis names"] = _text(value)
        return
    found[name.removeprefix("jax_").removesuffix("_context_manager").lstrip("_")] = _text(value)


def _text(value: Any) -> str:
    plain = getattr(value, "value", value)  # an enum's
    return plain if isinstance(plain, str) else shorten_repr(value)
