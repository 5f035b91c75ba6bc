"""Settings of JAX that change how code is traced are part of the cache's key."""

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=2, cause="context", function="project")

W = np.eye(2, dtype=np.float32)


@cases("a precision", "a promotion")
def failure(use):
    @jax.jit
    def project(x):
        return jnp.dot(x, W)

    def setting(number):
        if use == "a promotion":
            return jax.numpy_dtype_promotion(("standard", "strict")[number % 2])
        return jax.default_matmul_precision(("default", "float32")[number % 2])

    outputs = []
    for number in range(4):
        with setting(number):
            outputs.append(project(np.full(2, number, np.float32)))
    return outputs


@cases("a precision", "a promotion")
def workaround_one_setting_for_all(use):
    jax.config.update("jax_default_matmul_precision", "float32")
    jax.config.update("jax_numpy_dtype_promotion", "strict")

    @jax.jit
    def project(x):
        return jnp.dot(x, W)

    return [project(np.full(2, number, np.float32)) for number in range(4)]


@cases("a precision")
def workaround_argument_of_the_operation(use):
    @jax.jit
    def project(x):
        return jnp.dot(x, W, precision="float32")

    return [project(np.full(2, number, np.float32)) for number in range(4)]


@cases("a precision", "a promotion")
def workaround_setting_inside(use):
    @jax.jit
    def project(x):
        with jax.default_matmul_precision("float32"), jax.numpy_dtype_promotion("strict"):
            return jnp.dot(x, W)

    return [project(np.full(2, number, np.float32)) for number in range(4)]


@cases("a precision")
def dead_end_config_update(use):
    @jax.jit
    def project(x):
        return jnp.dot(x, W)

    outputs = []
    for number in range(4):
        jax.config.update("jax_default_matmul_precision", ("default", "float32")[number % 2])
        outputs.append(project(np.full(2, number, np.float32)))
    return outputs


@cases("a precision")
def dead_end_setting_that_does_not_matter(use):
    @jax.jit
    def project(x):
        return x + 1.0 - 1.0  # no product in it, and traced again all the same

    outputs = []
    for number in range(4):
        with jax.default_matmul_precision(("default", "float32")[number % 2]):
            outputs.append(project(np.full(2, number, np.float32)))
    return outputs


def message_random_numbers():
    @jax.jit
    def noise(key):
        return jax.random.normal(key, (2,))

    key = jax.random.PRNGKey(0)
    outputs = [noise(key)]
    with jax.threefry_partitionable(False):
        outputs.append(noise(key))
    with jax.threefry_partitionable(True):
        outputs.append(noise(key))
    return outputs


def message_rank_promotion():
    @jax.jit
    def add(x):
        return x + 1.0

    outputs = [add(W)]
    with jax.numpy_rank_promotion("warn"):
        outputs.append(add(W))
    with jax.numpy_rank_promotion("raise"):
        outputs.append(add(W))
    return outputs


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)

    @jax.jit
    def project(x):
        return jnp.dot(x, W)

    outputs = [project(W)]
    for precision in ("float32", "tensorfloat32", "bfloat16"):
        with jax.default_matmul_precision(precision):
            outputs.append(project(W))
    return outputs
