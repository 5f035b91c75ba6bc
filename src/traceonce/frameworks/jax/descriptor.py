"""JAX, as far as it is known without importing it."""

from __future__ import annotations

from traceonce.facts import CauseCode, FunctionId
from traceonce.frameworks.base.descriptor import SHARED_ADVICE, Framework, Kit, Package, Source, within
from traceonce.frameworks.jax.dialect import DIALECT
from traceonce.frameworks.jax.records import record_of

_RECIPES = "traceonce.frameworks.jax.recipes"
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
_KIT = Kit(
    recipes=within(
        _RECIPES, "hoist", "array_argument", "static_equality", "typed_argument", "state", "static_argument"
    ),
    advice=(*SHARED_ADVICE, *within(_RECIPES, "pad_to_bucket", "device_put")),
    of_arguments=within(_RECIPES, "array_argument", "static_equality", "typed_argument"),
    of_objects={f"{_RECIPES}.hoist": frozenset({CauseCode.NEW_FUNCTION})},
    of_failures=within(_RECIPES, "static_argument"),
)
FRAMEWORK = Framework(
    name="jax",
    title="JAX",
    module="jax",
    distributions=("jax",),
    along=("jax.numpy",),
    companions={"keras": "Keras"},
    dialect=DIALECT,
    source=_SOURCE,
    kit=_KIT,
    notes=("traceonce.words.notes.jax",),
    record=record_of,
    made_by=_made_by,
    mentions=r"(?i)\bjax\b|\bjnp\b|\bjit\(",
    ours=r"\bjax\.(?:jit|pmap|shard_map|lax\.\w+) at |TRACING CACHE MISS",
)
