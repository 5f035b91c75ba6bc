"""The value of a static argument is looked up in a cache, so it needs a hash."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="ValueError", text=r"Non-hashable static arguments are not supported")

DATA = [0.0, 1.0, 2.0, 3.0]


@cases("a list", "a dictionary", "an array", "a class with __eq__ alone")
def failure(use):
    class Settings:
        def __init__(self, scale):
            self.scale = scale

        def __eq__(self, other):
            return isinstance(other, Settings) and self.scale == other.scale

    @functools.partial(jax.jit, static_argnames="shape")
    def reshape(x, shape):
        return jnp.reshape(x, shape)

    @functools.partial(jax.jit, static_argnames="settings")
    def scale(x, settings):
        return x * (settings["scale"] if isinstance(settings, dict) else settings.scale)

    @functools.partial(jax.jit, static_argnames="weights")
    def weigh(x, weights):
        return x * weights

    if use == "a list":
        return reshape(jnp.array(DATA), shape=[2, 2])
    if use == "an array":
        return weigh(jnp.array(DATA), weights=np.full(4, 3.0))
    return scale(jnp.array(DATA), settings={"scale": 3.0} if use == "a dictionary" else Settings(3.0))


@cases("a list", "a dictionary", "an array", "a class with __eq__ alone")
def right(use):
    return [[0.0, 1.0], [2.0, 3.0]] if use == "a list" else [0.0, 3.0, 6.0, 9.0]


@cases("a list")
def workaround_tuple(use):
    @functools.partial(jax.jit, static_argnames="shape")
    def reshape(x, shape):
        return jnp.reshape(x, shape)

    return reshape(jnp.array(DATA), shape=(2, 2))


@cases("a dictionary", "an array")
def workaround_not_static(use):
    @jax.jit
    def scale(x, settings):
        return x * settings["scale"]

    @jax.jit
    def weigh(x, weights):
        return x * weights

    if use == "an array":
        return weigh(jnp.array(DATA), weights=np.full(4, 3.0))
    return scale(jnp.array(DATA), settings={"scale": 3.0})


@cases("a dictionary", "a class with __eq__ alone")
def workaround_frozen_dataclass(use):
    import dataclasses

    @dataclasses.dataclass(frozen=True)  # frozen, with eq (the default): __hash__ comes by itself
    class Settings:
        scale: float

    @functools.partial(jax.jit, static_argnames="settings")
    def scale(x, settings):
        return x * settings.scale

    return scale(jnp.array(DATA), settings=Settings(3.0))


@cases("an array")
def dead_end_jax_array(use):
    @functools.partial(jax.jit, static_argnames="weights")
    def weigh(x, weights):
        return x * weights

    return weigh(jnp.array(DATA), weights=jnp.full(4, 3.0))


@cases("a dictionary")
def dead_end_tuple_of_a_list(use):
    @functools.partial(jax.jit, static_argnames="settings")
    def scale(x, settings):
        return x * dict(settings)["scale"][0]

    return scale(jnp.array(DATA), settings=(("scale", [3.0]),))


@cases("a class with __eq__ alone")
def dead_end_dataclass(use):
    import dataclasses

    @dataclasses.dataclass  # not frozen: it has __eq__, and so no __hash__
    class Settings:
        scale: float

    @functools.partial(jax.jit, static_argnames="settings")
    def scale(x, settings):
        return x * settings.scale

    return scale(jnp.array(DATA), settings=Settings(3.0))


def message_static_argnums():
    @functools.partial(jax.jit, static_argnums=(1,))
    def one_hot(labels, classes):
        return jnp.stack([labels == kind for kind in classes])

    return one_hot(jnp.array([1, 2]), [1, 2, 3])


def message_a_set():
    @functools.partial(jax.jit, static_argnames=("kept",))
    def mask(x, kept):
        return jnp.array([number in kept for number in range(3)]) * x

    return mask(jnp.ones(3), kept={0, 2})


def message_self():
    class Model(dict):
        @functools.partial(jax.jit, static_argnums=0)
        def apply(self, x):
            return x * self["scale"]

    return Model(scale=2.0).apply(jnp.ones(2))
