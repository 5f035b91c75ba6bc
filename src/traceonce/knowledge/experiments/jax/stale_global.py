"""What a jitted function reads from outside is compiled in; that it changed later, nobody looks at."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Wrong, cases

symptom = Wrong()

RATES = (1.0, 0.5, 0.25)
X = np.array([4.0, 8.0], np.float32)
rate = 1.0


@cases("a global", "an attribute", "a dictionary")
def failure(use):
    class Settings:
        rate = 1.0

    settings, table = Settings(), {"rate": 1.0}

    @jax.jit
    def by_global(x):
        return x * rate

    @jax.jit
    def by_attribute(x):
        return x * settings.rate

    @jax.jit
    def by_dictionary(x):
        return x * table["rate"]

    outputs = []
    for value in RATES:
        globals()["rate"] = settings.rate = table["rate"] = value
        function = {"a global": by_global, "an attribute": by_attribute, "a dictionary": by_dictionary}[use]
        outputs.append(function(X))
    return outputs


@cases("a global", "an attribute", "a dictionary")
def right(use):
    return [[4.0 * value, 8.0 * value] for value in RATES]


@cases("a global", "an attribute", "a dictionary")
def workaround_pass_it(use):
    @jax.jit
    def scaled(x, rate):
        return x * rate

    return [scaled(X, value) for value in RATES]


@cases("a global", "a dictionary")
def workaround_pass_it_static(use):
    @functools.partial(jax.jit, static_argnames="rate")
    def scaled(x, rate):
        return x * rate

    return [scaled(X, rate=value) for value in RATES]  # one trace for each value


@cases("an attribute")
def workaround_pytree(use):
    import dataclasses

    @functools.partial(jax.tree_util.register_dataclass, data_fields=["rate"], meta_fields=[])
    @dataclasses.dataclass
    class Settings:
        rate: float

    @jax.jit
    def scaled(settings, x):
        return x * settings.rate

    settings = Settings(1.0)
    outputs = []
    for value in RATES:
        settings.rate = value
        outputs.append(scaled(settings, X))
    return outputs


@cases("a global")
def dead_end_jit_again(use):
    def scaled(x):
        return x * rate

    outputs = []
    for value in RATES:
        globals()["rate"] = value
        outputs.append(jax.jit(scaled)(X))  # the same function: its cache is still there
    return outputs


@cases("a global")
def dead_end_jax_array(use):
    def scaled(x):
        return x * rate

    compiled = jax.jit(scaled)
    outputs = []
    for value in RATES:
        globals()["rate"] = jnp.float32(value)
        outputs.append(compiled(X))
    return outputs


@cases("an attribute")
def dead_end_static_self(use):
    class Model:
        def __init__(self):
            self.rate = 1.0

        @functools.partial(jax.jit, static_argnums=0)
        def scaled(self, x):
            return x * self.rate

    model = Model()
    outputs = []
    for value in RATES:
        model.rate = value  # the same object, with the same hash: its trace is served
        outputs.append(model.scaled(X))
    return outputs


def message_a_closure():
    rates = [1.0]

    @jax.jit
    def scaled(x):
        return x * rates[0]

    outputs = []
    for value in RATES:
        rates[0] = value
        outputs.append(scaled(X))
    return outputs


def message_a_flag():
    class Model:
        training = True

    model = Model()

    @jax.jit
    def forward(x):
        return x * 0.5 if model.training else x

    outputs = [forward(X)]
    model.training = False
    return [*outputs, forward(X)]


def message_a_table():
    table = np.array([1.0, 2.0], np.float32)

    @jax.jit
    def weigh(x):
        return x * table

    outputs = [weigh(X)]
    table[0] = 100.0
    return [*outputs, weigh(X)]
