"""While a function is traced, its arrays have no values: Python cannot ask whether one is true."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="TracerBoolConversionError", text=r"Attempted boolean conversion of traced array")

BATCHES = ([1.0, -2.0, 3.0], [-4.0, 1.0, 0.5])


@cases("a condition", "a loop", "and, or, not")
def failure(use):
    @jax.jit
    def loss(x):
        if jnp.sum(x) > 0:
            return jnp.sum(x)
        return -jnp.sum(x)

    @jax.jit
    def halve_until_small(x):
        while jnp.max(jnp.abs(x)) > 1.0:
            x = x / 2.0
        return x

    @jax.jit
    def is_flat(x):
        return jnp.max(x) < 2.0 and jnp.min(x) > -2.0

    function = {"a condition": loss, "a loop": halve_until_small, "and, or, not": is_flat}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("a condition", "a loop", "and, or, not")
def right(use):
    if use == "a condition":
        return [abs(sum(batch)) for batch in BATCHES]
    if use == "a loop":
        return [[0.25, -0.5, 0.75], [-1.0, 0.25, 0.125]]
    return [False, False]


@cases("a condition")
def workaround_where(use):
    @jax.jit
    def loss(x):
        total = jnp.sum(x)
        return jnp.where(total > 0, total, -total)

    return [loss(jnp.array(batch)) for batch in BATCHES]


@cases("a condition")
def workaround_cond(use):
    @jax.jit
    def loss(x):
        return jax.lax.cond(jnp.sum(x) > 0, lambda x: jnp.sum(x), lambda x: -jnp.sum(x), x)

    return [loss(jnp.array(batch)) for batch in BATCHES]


@cases("a loop")
def workaround_while_loop(use):
    @jax.jit
    def halve_until_small(x):
        return jax.lax.while_loop(lambda x: jnp.max(jnp.abs(x)) > 1.0, lambda x: x / 2.0, x)

    return [halve_until_small(jnp.array(batch)) for batch in BATCHES]


@cases("and, or, not")
def workaround_logical_and(use):
    @jax.jit
    def is_flat(x):
        return jnp.logical_and(jnp.max(x) < 2.0, jnp.min(x) > -2.0)

    return [is_flat(jnp.array(batch)) for batch in BATCHES]


@cases("a condition")
def dead_end_static_argument(use):
    @functools.partial(jax.jit, static_argnames="x")
    def loss(x):
        if jnp.sum(x) > 0:
            return jnp.sum(x)
        return -jnp.sum(x)

    return [loss(x=jnp.array(batch)) for batch in BATCHES]


@cases("a condition")
def dead_end_bool(use):
    @jax.jit
    def loss(x):
        if bool((jnp.sum(x) > 0).astype(bool)):
            return jnp.sum(x)
        return -jnp.sum(x)

    return [loss(jnp.array(batch)) for batch in BATCHES]


@cases("a condition")
def dead_end_disable_jit(use):
    @jax.jit
    def loss(x):
        if jnp.sum(x) > 0:
            return jnp.sum(x)
        return -jnp.sum(x)

    with jax.disable_jit():
        return [loss(jnp.array(batch)) for batch in BATCHES]


def message_an_assert():
    @jax.jit
    def train_step(params, batch):
        assert jnp.all(jnp.isfinite(batch)), "not finite"
        return params - 0.1 * jnp.mean(batch)

    return train_step(jnp.ones(3), jnp.ones(3))


def message_in_a_gradient():
    def relu(x):
        return x if x > 0 else 0.0 * x

    return jax.jit(jax.grad(relu))(3.0)


def message_in_vmap():
    def clip(x):
        return max(x, 0.0)

    return jax.vmap(clip)(jnp.arange(3.0) - 1.0)


def message_in_a_scan():
    def step(carry, x):
        if x > carry:
            return x, x
        return carry, carry

    return jax.lax.scan(step, 0.0, jnp.arange(4.0))
