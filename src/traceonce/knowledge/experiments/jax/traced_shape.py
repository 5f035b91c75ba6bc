"""Shapes are compiled in: the size of an array cannot come out of a traced value."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="Exception",
    text=r"Shapes must be 1D sequences of concrete values|Slice entries must be static integers"
    r"|Array slice indices must have static start/stop/step",
)

SIZES = (2, 4, 2)


@cases("a new array", "a slice")
def failure(use):
    @jax.jit
    def padded_sum(x, size):
        return jnp.sum(x) + jnp.sum(jnp.ones(size))

    @jax.jit
    def first_sum(x, size):
        return jnp.sum(x[:size])

    function = {"a new array": padded_sum, "a slice": first_sum}[use]
    return [function(jnp.arange(6.0), size) for size in SIZES]


@cases("a new array", "a slice")
def right(use):
    return [17.0, 19.0, 17.0] if use == "a new array" else [1.0, 6.0, 1.0]


@cases("a new array", "a slice")
def workaround_static_size(use):
    @functools.partial(jax.jit, static_argnames="size")
    def padded_sum(x, size):
        return jnp.sum(x) + jnp.sum(jnp.ones(size))

    @functools.partial(jax.jit, static_argnames="size")
    def first_sum(x, size):
        return jnp.sum(x[:size])

    function = {"a new array": padded_sum, "a slice": first_sum}[use]
    return [function(jnp.arange(6.0), size=size) for size in SIZES]  # one trace for each size


@cases("a new array", "a slice")
def workaround_mask(use):
    @jax.jit
    def padded_sum(x, size):
        return jnp.sum(x) + jnp.sum(jnp.ones(8), where=jnp.arange(8) < size)

    @jax.jit
    def first_sum(x, size):
        return jnp.sum(x, where=jnp.arange(x.shape[0]) < size)

    function = {"a new array": padded_sum, "a slice": first_sum}[use]
    return [function(jnp.arange(6.0), size) for size in SIZES]


@cases("a slice")
def dead_end_dynamic_slice(use):
    @jax.jit
    def first_sum(x, size):
        return jnp.sum(jax.lax.dynamic_slice(x, (0,), (size,)))

    return [first_sum(jnp.arange(6.0), size) for size in SIZES]


@cases("a new array")
def dead_end_int(use):
    @jax.jit
    def padded_sum(x, size):
        return jnp.sum(x) + jnp.sum(jnp.ones(int(size)))

    return [padded_sum(jnp.arange(6.0), size) for size in SIZES]


@cases("a new array")
def dead_end_array_of_integers(use):
    @jax.jit
    def padded_sum(x, size):
        return jnp.sum(x) + jnp.sum(jnp.ones(size))

    return [padded_sum(jnp.arange(6.0), jnp.int32(size)) for size in SIZES]


def message_reshape():
    @jax.jit
    def heads(x, count):
        return x.reshape(count, -1)

    return heads(jnp.arange(6.0), 2)


def message_a_size_that_was_computed():
    @jax.jit
    def ones_for(lengths):
        return jnp.ones((2, lengths.max()))

    return ones_for(jnp.array([2, 3]))


def message_a_window():
    @jax.jit
    def window(x, start, width):
        return x[start : start + width]

    return window(jnp.arange(6.0), 1, 3)


def message_broadcast():
    @jax.jit
    def repeat(x, times):
        return jnp.broadcast_to(x, (times, 3))

    return repeat(jnp.ones(3), 4)
