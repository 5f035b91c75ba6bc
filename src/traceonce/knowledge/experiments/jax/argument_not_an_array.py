"""jax.jit takes arrays, numbers, and containers of these; anything else has to be declared static, or a pytree."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="TypeError", text=r"Error interpreting argument to .* as an abstract array")


@cases("a string", "self", "an object")
def failure(use):
    class Model:
        scale = 3.0

        @jax.jit
        def apply(self, x):
            return x * self.scale

    @jax.jit
    def reduce(x, mode):
        return jnp.sum(x) if mode == "sum" else jnp.mean(x)

    @jax.jit
    def scaled(model, x):
        return x * model.scale

    if use == "a string":
        return [reduce(jnp.arange(4.0), mode) for mode in ("sum", "mean")]
    return Model().apply(jnp.arange(3.0)) if use == "self" else scaled(Model(), jnp.arange(3.0))


@cases("a string", "self", "an object")
def right(use):
    return [6.0, 1.5] if use == "a string" else [0.0, 3.0, 6.0]


@cases("a string", "self", "an object")
def workaround_static(use):
    class Model:
        scale = 3.0

        @functools.partial(jax.jit, static_argnums=0)
        def apply(self, x):
            return x * self.scale

    @functools.partial(jax.jit, static_argnames="mode")
    def reduce(x, mode):
        return jnp.sum(x) if mode == "sum" else jnp.mean(x)

    @functools.partial(jax.jit, static_argnames="model")
    def scaled(model, x):
        return x * model.scale

    if use == "a string":
        return [reduce(jnp.arange(4.0), mode) for mode in ("sum", "mean")]
    model = Model()
    return model.apply(jnp.arange(3.0)) if use == "self" else scaled(model, jnp.arange(3.0))


@cases("self", "an object")
def workaround_pytree(use):
    @jax.tree_util.register_pytree_node_class
    class Model:
        def __init__(self, scale):
            self.scale = scale

        def tree_flatten(self):
            return (self.scale,), None

        @classmethod
        def tree_unflatten(cls, _, children):
            return cls(*children)

        @jax.jit
        def apply(self, x):
            return x * self.scale

    @jax.jit
    def scaled(model, x):
        return x * model.scale

    model = Model(3.0)
    return model.apply(jnp.arange(3.0)) if use == "self" else scaled(model, jnp.arange(3.0))


@cases("a string")
def workaround_closure(use):
    @jax.jit
    def summed(x):
        return jnp.sum(x)

    @jax.jit
    def averaged(x):
        return jnp.mean(x)

    reduce = {"sum": summed, "mean": averaged}
    return [reduce[mode](jnp.arange(4.0)) for mode in ("sum", "mean")]


@cases("a string")
def dead_end_numpy_string(use):
    import numpy as np

    @jax.jit
    def reduce(x, mode):
        return jnp.sum(x) if mode == "sum" else jnp.mean(x)

    return [reduce(jnp.arange(4.0), np.array(mode)) for mode in ("sum", "mean")]


@cases("a string")
def dead_end_in_a_list(use):
    @jax.jit
    def reduce(x, options):
        return jnp.sum(x) if options["mode"] == "sum" else jnp.mean(x)

    return [reduce(jnp.arange(4.0), {"mode": mode}) for mode in ("sum", "mean")]


@cases("an object")
def dead_end_hash_and_equality(use):
    class Model:
        scale = 3.0

        def __eq__(self, other):
            return isinstance(other, Model)

        def __hash__(self):
            return hash(self.scale)

    @jax.jit
    def scaled(model, x):
        return x * model.scale

    return scaled(Model(), jnp.arange(3.0))


def message_a_function():
    @jax.jit
    def apply(function, x):
        return function(x)

    return apply(jnp.sin, jnp.ones(2))


def message_a_configuration():
    import dataclasses

    @dataclasses.dataclass
    class Config:
        layers: int = 2

    @jax.jit
    def forward(params, config):
        return params * config.layers

    return forward(jnp.ones(2), Config())


def message_a_string_in_a_batch():
    @jax.jit
    def loss(batch):
        return jnp.sum(batch["x"])

    return loss({"x": jnp.ones(2), "name": "first"})
