"""Python's own numbers need a value, and while a function is traced there is none."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="ConcretizationTypeError", text=r"Abstract tracer value encountered where concrete value is expected"
)

BATCHES = ([1.0, 2.0, 3.0], [4.0, 6.0, 5.0])


@cases("float", "item", "nonzero")
def failure(use):
    @jax.jit
    def scaled(x):
        return x / float(jnp.max(x))

    @jax.jit
    def mean(x):
        return jnp.mean(x).item()

    @jax.jit
    def large(x):
        return jnp.nonzero(x > 2.0)[0]

    function = {"float": scaled, "item": mean, "nonzero": large}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("float", "item", "nonzero")
def right(use):
    if use == "float":
        return [[value / max(batch) for value in batch] for batch in BATCHES]
    if use == "item":
        return [sum(batch) / 3 for batch in BATCHES]
    return [[2, 3, 3], [0, 1, 2]]


@cases("float", "item")
def workaround_stay_with_arrays(use):
    @jax.jit
    def scaled(x):
        return x / jnp.max(x)

    @jax.jit
    def mean(x):
        return jnp.mean(x)

    function = {"float": scaled, "item": mean}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("item")
def workaround_convert_outside(use):
    @jax.jit
    def mean(x):
        return jnp.mean(x)

    return [mean(jnp.array(batch)).item() for batch in BATCHES]


@cases("nonzero")
def workaround_size(use):
    @jax.jit
    def large(x):
        return jnp.nonzero(x > 2.0, size=3, fill_value=3)[0]

    return [large(jnp.array(batch)) for batch in BATCHES]


@cases("float")
def dead_end_complex(use):
    @jax.jit
    def scaled(x):
        return x / complex(jnp.max(x)).real

    return [scaled(jnp.array(batch)) for batch in BATCHES]


@cases("float")
def dead_end_static_argument(use):
    @functools.partial(jax.jit, static_argnums=0)
    def scaled(x):
        return x / float(jnp.max(x))

    return [scaled(jnp.array(batch)) for batch in BATCHES]


@cases("item")
def dead_end_stop_gradient(use):
    @jax.jit
    def mean(x):
        return jax.lax.stop_gradient(jnp.mean(x)).item()

    return [mean(jnp.array(batch)) for batch in BATCHES]


@cases("item")
def dead_end_block_until_ready(use):
    @jax.jit
    def mean(x):
        return float(jax.block_until_ready(jnp.mean(x)))

    return [mean(jnp.array(batch)) for batch in BATCHES]


def message_int_of_a_sum():
    @jax.jit
    def count(mask):
        return jnp.arange(10) < int(mask.sum())

    return count(jnp.array([True, False]))


def message_unique():
    @jax.jit
    def kinds(labels):
        return jnp.unique(labels)

    return kinds(jnp.array([3, 1, 3]))


def message_where_with_one_argument():
    @jax.jit
    def positive(x):
        return jnp.where(x > 0)[0]

    return positive(jnp.array([1.0, -1.0]))


def message_in_a_gradient():
    def loss(w):
        return w**2 / float(w)

    return jax.jit(jax.grad(loss))(3.0)


def message_in_a_scan():
    def step(carry, x):
        return carry + float(x), x

    return jax.lax.scan(step, 0.0, jnp.arange(4.0))
