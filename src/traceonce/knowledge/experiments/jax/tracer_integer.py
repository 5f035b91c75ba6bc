"""A list, `range` or NumPy needs a whole number with a value, and a traced array has none."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="TracerIntegerConversionError", text=r"The __index__\(\) method was called on traced array")

STEPS = (3, 5, 2)


@cases("a list", "range")
def failure(use):
    rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    @jax.jit
    def rate_of(layer):
        return jnp.float32(1.0) * rates[layer]

    @jax.jit
    def power_sum(count):
        total = 0.0
        for number in range(count):
            total = total + 2.0**number
        return total

    function = {"a list": rate_of, "range": power_sum}[use]
    return [function(step) for step in STEPS]


@cases("a list", "range")
def right(use):
    return {"a list": [0.4, 0.6, 0.3], "range": [7.0, 31.0, 3.0]}[use]


@cases("a list")
def workaround_array_in_place_of_the_list(use):
    rates = jnp.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

    @jax.jit
    def rate_of(layer):
        return rates[layer]

    return [rate_of(step) for step in STEPS]


@cases("range")
def workaround_fori_loop(use):
    @jax.jit
    def power_sum(count):
        return jax.lax.fori_loop(0, count, lambda number, total: total + 2.0**number, 0.0)

    return [power_sum(step) for step in STEPS]


@cases("a list", "range")
def workaround_static_argument(use):
    rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    @functools.partial(jax.jit, static_argnums=0)
    def rate_of(layer):
        return jnp.float32(1.0) * rates[layer]

    @functools.partial(jax.jit, static_argnums=0)
    def power_sum(count):
        return jnp.sum(2.0 ** jnp.arange(count))

    function = {"a list": rate_of, "range": power_sum}[use]
    return [function(step) for step in STEPS]  # one trace for each value


@cases("a list")
def dead_end_int(use):
    rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    @jax.jit
    def rate_of(layer):
        return jnp.float32(1.0) * rates[int(layer)]

    return [rate_of(step) for step in STEPS]


@cases("a list")
def dead_end_integer_dtype(use):
    rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    @jax.jit
    def rate_of(layer):
        return jnp.float32(1.0) * rates[layer.astype(jnp.int32)]

    return [rate_of(jnp.int32(step)) for step in STEPS]


@cases("range")
def dead_end_jnp_arange(use):
    @jax.jit
    def power_sum(count):
        return jnp.sum(2.0 ** jnp.arange(count))

    return [power_sum(step) for step in STEPS]


def message_in_a_scan():
    layers = [jnp.ones(2), jnp.zeros(2)]

    def step(carry, number):
        return carry + layers[number], number

    return jax.lax.scan(step, jnp.zeros(2), jnp.arange(2))


def message_a_dictionary_of_functions():
    branches = (jnp.sin, jnp.cos)

    @jax.jit
    def apply(which, x):
        return branches[which](x)

    return apply(1, jnp.ones(2))


def message_a_repeated_list():
    @jax.jit
    def stacked(x, times):
        return jnp.stack([x for _ in range(times)])

    return stacked(jnp.ones(2), 3)


def message_in_vmap():
    names = ["a", "bb", "ccc"]
    return jax.vmap(lambda number: len(names[number]))(jnp.arange(3))
