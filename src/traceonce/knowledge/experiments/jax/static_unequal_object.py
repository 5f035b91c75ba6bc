"""Two static arguments that print the same are two values unless their class says when they are equal."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=5, cause="static_argument", path="settings", function="forward")

X = np.arange(3, dtype=np.float32)


class Settings:
    """Equal only to itself, as any class is that does not say otherwise."""

    def __init__(self, scale):
        self.scale = scale

    def __repr__(self):
        return f"Settings(scale={self.scale})"


def failure():
    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings.scale

    return [forward(X, settings=Settings(2.0)) for _ in range(5)]


def workaround_frozen_dataclass():
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Settings:
        scale: float

    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings.scale

    return [forward(X, settings=Settings(2.0)) for _ in range(5)]


def workaround_one_object():
    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings.scale

    settings = Settings(2.0)
    return [forward(X, settings=settings) for _ in range(5)]


def workaround_eq_and_hash():
    class Settings:
        def __init__(self, scale):
            self.scale = scale

        def __eq__(self, other):
            return isinstance(other, Settings) and self.scale == other.scale

        def __hash__(self):
            return hash(self.scale)

    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings.scale

    return [forward(X, settings=Settings(2.0)) for _ in range(5)]


def dead_end_hash_alone():
    class Settings:
        def __init__(self, scale):
            self.scale = scale

        def __repr__(self):
            return f"Settings(scale={self.scale})"

        def __hash__(self):
            return hash(self.scale)

    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings.scale

    return [forward(X, settings=Settings(2.0)) for _ in range(5)]


def dead_end_in_a_tuple():
    @functools.partial(jax.jit, static_argnames="settings")
    def forward(x, settings):
        return x * settings[0].scale

    return [forward(X, settings=(Settings(2.0),)) for _ in range(5)]  # a tuple of them is equal if they are


def dead_end_method():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @functools.partial(jax.jit, static_argnums=0)
        def forward(self, x):
            return x * self.scale

    return [Model(2.0).forward(X) for _ in range(5)]


def message_a_function():
    @functools.partial(jax.jit, static_argnums=1)
    def apply(x, activation):
        return activation(x)

    return [apply(X, lambda x: jnp.maximum(x, 0.0)) for _ in range(4)]


def message_an_optimizer():
    class Sgd:
        def __repr__(self):
            return "Sgd(rate=0.1)"

    @functools.partial(jax.jit, static_argnames=("optimizer",))
    def update(params, optimizer):
        return params - 0.1

    return [update(X, optimizer=Sgd()) for _ in range(4)]
