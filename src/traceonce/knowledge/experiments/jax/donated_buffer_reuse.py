"""What was donated to a call is gone afterwards: its memory holds the result."""

import functools

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(
    type="Exception",
    text=r"(?i)array has been deleted|buffer has been deleted or donated|previously donated"
    r"|donate the same buffer twice",
)


@cases("read after the call", "passed again", "passed twice in one call")
def failure(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        return params - 0.5 * gradients

    params, gradients = jnp.full(3, 2.0), jnp.ones(3)
    if use == "passed twice in one call":
        return update(params, params)
    new = update(params, gradients)
    if use == "passed again":
        return update(params, gradients)
    return jnp.abs(new - params)


@cases("read after the call", "passed again", "passed twice in one call")
def right(use):
    values = {"read after the call": 0.5, "passed again": 1.5, "passed twice in one call": 1.0}
    return [values[use]] * 3


@cases("read after the call", "passed again", "passed twice in one call")
def workaround_copy_before(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        return params - 0.5 * gradients

    params, gradients = jnp.full(3, 2.0), jnp.ones(3)
    if use == "passed twice in one call":
        return update(params.copy(), params)
    new = update(params.copy(), gradients)
    if use == "passed again":
        return update(params, gradients)
    return jnp.abs(new - params)


@cases("read after the call", "passed again", "passed twice in one call")
def workaround_without_donation(use):
    @jax.jit
    def update(params, gradients):
        return params - 0.5 * gradients

    params, gradients = jnp.full(3, 2.0), jnp.ones(3)
    if use == "passed twice in one call":
        return update(params, params)
    new = update(params, gradients)
    if use == "passed again":
        return update(params, gradients)
    return jnp.abs(new - params)


@cases("read after the call")
def workaround_return_what_is_needed(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        new = params - 0.5 * gradients
        return new, jnp.abs(new - params)

    _params, change = update(jnp.full(3, 2.0), jnp.ones(3))
    return change


@cases("read after the call")
def dead_end_another_name(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        return params - 0.5 * gradients

    params = jnp.full(3, 2.0)
    before = params  # another name for the same array
    params = update(params, jnp.ones(3))
    return jnp.abs(params - before)


@cases("read after the call")
def dead_end_block_until_ready(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        return params - 0.5 * gradients

    params = jnp.full(3, 2.0)
    new = jax.block_until_ready(update(params, jnp.ones(3)))
    return jnp.abs(new - params)


@cases("read after the call")
def dead_end_asarray(use):
    @functools.partial(jax.jit, donate_argnums=0)
    def update(params, gradients):
        return params - 0.5 * gradients

    params = jnp.full(3, 2.0)
    before = jnp.asarray(params)  # no copy
    params = update(params, jnp.ones(3))
    return jnp.abs(params - before)


def message_printed():
    update = jax.jit(lambda params: params * 0.9, donate_argnums=0)
    params = jnp.ones((2, 2))
    update(params)
    return f"{params}"


def message_as_numpy():
    import numpy as np

    update = jax.jit(lambda state: {"count": state["count"] + 1}, donate_argnums=0)
    state = {"count": jnp.zeros((), jnp.int32)}
    update(state)
    return np.asarray(state["count"])


def message_a_shared_leaf():
    train_step = jax.jit(lambda state: jax.tree.map(lambda x: x + 1, state), donate_argnums=0)
    weights = jnp.ones(3)
    return train_step({"params": weights, "average": weights})
