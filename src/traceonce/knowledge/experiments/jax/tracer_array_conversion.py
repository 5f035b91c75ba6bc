"""NumPy computes with values at once, and a traced array has none to give."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="TracerArrayConversionError", text=r"__array__\(\) was called on traced array")

BATCHES = ([1.0, 2.0, 4.0], [3.0, 9.0, 27.0])


@cases("a NumPy function", "an index into a NumPy array", "a host library")
def failure(use):
    table = np.array([10.0, 20.0, 30.0])

    @jax.jit
    def log_sum(x):
        return np.sum(np.log(x))

    @jax.jit
    def look_up(number):
        return table[number]

    @jax.jit
    def median(x):
        return np.median(x)

    if use == "an index into a NumPy array":
        return [look_up(number) for number in (2, 0)]
    function = {"a NumPy function": log_sum, "a host library": median}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("a NumPy function", "an index into a NumPy array", "a host library")
def right(use):
    results = {"an index into a NumPy array": [30.0, 10.0], "a host library": [2.0, 9.0]}
    return results.get(use, [float(np.sum(np.log(batch))) for batch in BATCHES])


@cases("a NumPy function", "a host library")
def workaround_jax_numpy(use):
    @jax.jit
    def log_sum(x):
        return jnp.sum(jnp.log(x))

    @jax.jit
    def median(x):
        return jnp.median(x)

    function = {"a NumPy function": log_sum, "a host library": median}[use]
    return [function(jnp.array(batch)) for batch in BATCHES]


@cases("an index into a NumPy array")
def workaround_convert_the_table(use):
    table = jnp.asarray(np.array([10.0, 20.0, 30.0]))

    @jax.jit
    def look_up(number):
        return table[number]

    return [look_up(number) for number in (2, 0)]


@cases("a host library")
def workaround_pure_callback(use):
    @jax.jit
    def median(x):
        shape = jax.ShapeDtypeStruct((), x.dtype)
        return jax.pure_callback(lambda x: np.median(x).astype(x.dtype), shape, x)

    return [median(jnp.array(batch)) for batch in BATCHES]


@cases("a NumPy function")
def dead_end_asarray_first(use):
    @jax.jit
    def log_sum(x):
        x = np.asarray(x)
        return np.sum(np.log(x))

    return [log_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a NumPy function")
def dead_end_device_get(use):
    @jax.jit
    def log_sum(x):
        return np.sum(np.log(jax.device_get(x)))

    return [log_sum(jnp.array(batch)) for batch in BATCHES]


@cases("a NumPy function")
def dead_end_static_argument(use):
    @functools.partial(jax.jit, static_argnums=0)
    def log_sum(x):
        return np.sum(np.log(x))

    return [log_sum(jnp.array(batch)) for batch in BATCHES]


def message_in_a_gradient():
    def loss(w):
        return np.mean(np.square(w))

    return jax.jit(jax.grad(loss))(jnp.ones(3))


def message_in_vmap():
    return jax.vmap(lambda x: np.linalg.norm(x))(jnp.ones((2, 3)))


def message_in_a_scan():
    def step(carry, x):
        return carry + np.tanh(x), x

    return jax.lax.scan(step, 0.0, jnp.arange(3.0))


def message_plain_numpy_copy():
    @jax.jit
    def train_step(params, batch):
        history = np.array(params)
        return params - 0.1 * batch, history

    return train_step(jnp.ones(2), jnp.ones(2))
