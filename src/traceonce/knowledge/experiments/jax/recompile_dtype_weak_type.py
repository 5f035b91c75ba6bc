"""A Python number has a weak dtype, what a function returns has not: the second call is another signature."""

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=2, cause="weak_type", path="total.weak_type", function="add")

READINGS = np.arange(5, dtype=np.float32)


def failure():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = 0.0  # a Python number: weak
    for reading in READINGS:
        total = add(total, reading)  # from the second call on: not weak
    return total


def workaround_typed_start():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = jnp.zeros((), jnp.float32)
    for reading in READINGS:
        total = add(total, reading)
    return total


def workaround_asarray_with_a_dtype():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = jnp.asarray(0.0, jnp.float32)
    for reading in READINGS:
        total = add(total, reading)
    return total


def workaround_numpy_number():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = np.float32(0.0)
    for reading in READINGS:
        total = add(total, reading)
    return total


def dead_end_asarray_without_a_dtype():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = jnp.asarray(0.0)  # keeps the weak dtype of the Python number
    for reading in READINGS:
        total = add(total, reading)
    return total


def dead_end_array_of_another_dtype():
    @jax.jit
    def add(total, reading):
        return total + reading

    total = jnp.zeros((), jnp.int32)  # not weak, but another dtype than the result
    for reading in READINGS:
        total = add(total, reading)
    return total


def dead_end_cast_inside():
    @jax.jit
    def add(total, reading):
        return jnp.asarray(total, jnp.float32) + reading

    total = 0.0
    for reading in READINGS:
        total = add(total, reading)
    return total


def message_a_learning_rate():
    @jax.jit
    def update(params, rate):
        return params - rate

    schedule = [0.1, np.float32(0.05), 0.02]
    return [update(np.ones(2, np.float32), rate) for rate in schedule]


def message_dtypes():
    @jax.jit
    def normalize(image):
        return image / 255.0

    return [normalize(np.ones((2, 2), kind)) for kind in (np.uint8, np.float32, np.int32, np.float16)]


def message_a_mask():
    @jax.jit
    def masked(x, mask):
        return jnp.sum(x * mask)

    masks = (np.ones(3, bool), np.ones(3, np.float32), np.ones(3, np.int32))
    return [masked(np.ones(3, np.float32), mask) for mask in masks]


def message_a_counter():
    @jax.jit
    def advance(state):
        return {"step": state["step"] + np.int32(1)}

    state = {"step": 0}
    for _ in range(4):
        state = advance(state)
    return state


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)

    @jax.jit
    def scaled(x, factor):
        return x * factor

    outputs = [scaled(READINGS, factor) for factor in (2.0, np.float32(2.0))]
    return [*outputs, *(scaled(READINGS.astype(kind), np.float32(2.0)) for kind in (np.int32, np.float16, np.uint8))]
