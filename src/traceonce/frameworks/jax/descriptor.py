"""JAX, as far as it is known without importing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceonce.facts import FunctionId
from traceonce.frameworks.base.descriptor import Framework, Package, Source
from traceonce.frameworks.jax.dialect import DIALECT
from traceonce.frameworks.jax.examples import EXAMPLES
from traceonce.frameworks.jax.records import record_of

if TYPE_CHECKING:
    from traceonce.fix.kit import Kit

_MAPS = {"pmap", "shard_map"}


def _made_by(function: FunctionId) -> str:
    if function.loop is not None:
        return f"jax.lax.{function.loop}"
    around = function.name.partition(" [")[2].removesuffix("]").rpartition(", ")[2]  # ``loss [grad]`` is jitted
    return f"jax.{around}" if around in _MAPS else "jax.jit"


_SOURCE = Source(
    wrapper="jax.jit",
    wraps=frozenset({"jax.jit", "jax.experimental.pjit.pjit"}),
    given_as="fun",
    through=frozenset({"equinox.filter_jit", "flax.nnx.jit"}),
    per_argument=("in_shardings", "in_axes"),
    pure=("jax.",),
    transforms=frozenset(
        f"jax.{name}"
        for name in ("grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint", "remat")
    ),
    packages={
        "jax": Package(frozenset({"jax"}), ("jax", "_jax")),
        "jnp": Package(frozenset({"jax.numpy"}), ("jnp", "jax_numpy", "_jnp")),
    },
)


def _kit() -> Kit:
    from traceonce.frameworks.jax.recipes.kit import KIT

    return KIT


FRAMEWORK = Framework(
    name="jax",
    title="JAX",
    module="jax",
    distributions=("jax",),
    says_of_traces=r"\bjax\._src\.|Finished (?:tracing|jaxpr to MLIR module conversion|XLA compilation of) "
    r"|Compiling \S+ with global shapes|TRACING CACHE MISS at ",
    along=("jax.numpy",),
    companions={"keras": "Keras"},
    per_model=frozenset({"keras"}),
    configured_by=("JAX_", "KERAS_", "XLA_"),
    dialect=DIALECT,
    source=_SOURCE,
    kit=_kit,
    notes=("traceonce.frameworks.jax.words", "traceonce.frameworks.jax.notices"),
    record=record_of,
    examples=EXAMPLES,
    made_by=_made_by,
    mentions=r"(?i)\bjax\b|\bjnp\b|\bjit\(",
    ours=r"\bjax\.(?:jit|pmap|shard_map|lax\.\w+) at |TRACING CACHE MISS",
)
