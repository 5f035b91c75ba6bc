"""How many elements a mask selects is known only when it has values: no shape can be compiled for it."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="NonConcreteBooleanIndexError", text=r"Array boolean indices must be concrete")

BATCHES = ([1.0, -2.0, 3.0], [-4.0, 1.0, -0.5])


@cases("a sum", "an assignment of several values")
def failure(use):
    @jax.jit
    def positive_sum(x):
        return jnp.sum(x[x > 0])

    @jax.jit
    def lift_negative(x):
        return x.at[x < 0].set(-x[x < 0])

    function = {"a sum": positive_sum, "an assignment of several values": lift_negative}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("a sum", "an assignment of several values")
def right(use):
    if use == "a sum":
        return [4.0, 1.0]
    return [[1.0, 2.0, 3.0], [4.0, 1.0, 0.5]]


@cases("a sum", "an assignment of several values")
def workaround_where(use):
    @jax.jit
    def positive_sum(x):
        return jnp.sum(jnp.where(x > 0, x, 0.0))

    @jax.jit
    def lift_negative(x):
        return jnp.where(x < 0, -x, x)

    function = {"a sum": positive_sum, "an assignment of several values": lift_negative}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("a sum")
def workaround_reduce_with_where(use):
    @jax.jit
    def positive_sum(x):
        return jnp.sum(x, where=x > 0)

    return [positive_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a sum")
def workaround_nonzero_with_size(use):
    @jax.jit
    def positive_sum(x):
        (places,) = jnp.nonzero(x > 0, size=x.shape[0], fill_value=x.shape[0])
        return jnp.sum(x.at[places].get(mode="fill", fill_value=0.0))

    return [positive_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a sum")
def dead_end_nonzero(use):
    @jax.jit
    def positive_sum(x):
        return jnp.sum(x[jnp.nonzero(x > 0)])

    return [positive_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a sum")
def dead_end_compress(use):
    @jax.jit
    def positive_sum(x):
        return jnp.sum(jnp.compress(x > 0, x))

    return [positive_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a sum")
def dead_end_static_mask(use):
    @functools.partial(jax.jit, static_argnames="mask")
    def positive_sum(x, mask):
        return jnp.sum(x[mask])

    return [positive_sum(jnp.array(batch), mask=jnp.array(batch) > 0) for batch in BATCHES]


def message_a_mask_as_argument():
    @jax.jit
    def loss(predictions, labels, mask):
        return jnp.mean((predictions[mask] - labels[mask]) ** 2)

    return loss(jnp.ones(3), jnp.zeros(3), jnp.array([True, False, True]))


def message_in_vmap():
    return jax.vmap(lambda row: row[row > 0].sum())(jnp.ones((2, 3)))


def message_in_a_gradient():
    return jax.jit(jax.grad(lambda x: jnp.mean(x[x != 0.0])))(jnp.ones(3))


def message_rows():
    @jax.jit
    def kept(boxes, scores):
        return boxes[scores > 0.5]

    return kept(jnp.ones((4, 4)), jnp.ones(4))
