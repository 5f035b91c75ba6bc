"""What stands in a program for each framework: the function that wraps others, and the packages that code uses.

Everything about a framework that reading and writing source needs is here, as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Package(NamedTuple):
    """A package that code of ours uses: the modules that are it, and names to import it under, the usual one first."""

    modules: frozenset[str]
    names: tuple[str, ...]

    @property
    def module(self) -> str:
        """The one to import."""
        return min(self.modules, key=len)


# By the name that code of ours is written with.
PACKAGES: Mapping[str, Package] = {
    # `compat.v2` is TensorFlow itself under another name; `compat.v1` is not: it lacks half of it.
    "tf": Package(
        frozenset({"tensorflow", "tensorflow.compat.v2", "tensorflow._api.v2.compat.v2"}),
        ("tf", "tensorflow", "_tf", "_tensorflow"),
    ),
    "jax": Package(frozenset({"jax"}), ("jax", "_jax")),
    "jnp": Package(frozenset({"jax.numpy"}), ("jnp", "jax_numpy", "_jnp")),
    "torch": Package(frozenset({"torch"}), ("torch", "_torch")),
}


@dataclass(frozen=True)
class Framework:
    """One framework, by the name of its backend.

    `wrapper` is what wraps functions, as it is usually written; `wraps` are the dotted names under which it can be
    imported; `given_as` is the keyword for the function that it wraps. `options` are its parameters that people give by
    position, `old_options` former names of them. `methods` compile what they are called on (``model.compile()``).
    `pure` are packages whose functions (in lower case, without "random") give the same each time. `transforms` make one
    function of another: what is wrapped is known by the inner one.
    """

    backend: str
    wrapper: str
    wraps: frozenset[str]
    given_as: str
    options: tuple[str, ...] = ()
    old_options: Mapping[str, str] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()
    pure: tuple[str, ...] = ()
    transforms: frozenset[str] = frozenset()


TENSORFLOW = Framework(
    backend="tensorflow",
    wrapper="tf.function",
    wraps=frozenset(
        {
            "tensorflow.function",
            "tensorflow.compat.v2.function",
            "tensorflow.compat.v1.function",
            "tensorflow.python.eager.def_function.function",
            "tensorflow.python.eager.polymorphic_function.function",
        }
    ),
    given_as="func",
    options=("func", "input_signature", "autograph", "jit_compile", "reduce_retracing"),
    old_options={"experimental_relax_shapes": "reduce_retracing", "experimental_compile": "jit_compile"},
    pure=("tensorflow.",),
)
JAX = Framework(
    backend="jax",
    wrapper="jax.jit",
    wraps=frozenset({"jax.jit", "jax.experimental.pjit.pjit"}),
    given_as="fun",
    pure=("jax.",),
    transforms=frozenset(
        f"jax.{name}"
        for name in ("grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint", "remat")
    ),
)
TORCH = Framework(
    backend="torch",
    wrapper="torch.compile",
    wraps=frozenset({"torch.compile"}),
    given_as="model",
    methods=frozenset({"compile"}),
)
FRAMEWORKS: Mapping[str, Framework] = {each.backend: each for each in (TENSORFLOW, JAX, TORCH)}


def framework_of(backend: str) -> Framework:
    """A framework that nobody told us of has no wrapper that a file could be searched for."""
    return FRAMEWORKS.get(backend) or Framework(backend, backend, frozenset(), "")
