"""A static argument is compiled in: every new value is another program."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces

symptom = Retraces(traces=6, cause="static_argument", path="step", function="decay", cured=2)

WEIGHTS = np.arange(3, dtype=np.float32)


def failure():
    @functools.partial(jax.jit, static_argnames="step")
    def decay(weights, step):
        return weights * 0.9**step

    return [decay(WEIGHTS, step=step) for step in range(6)]


def workaround_pass_it_as_an_array():
    @jax.jit
    def decay(weights, step):
        return weights * 0.9**step

    return [decay(WEIGHTS, step=step) for step in range(6)]


def workaround_pass_the_result():
    @jax.jit
    def decay(weights, factor):
        return weights * factor

    return [decay(WEIGHTS, factor=0.9**step) for step in range(6)]


def workaround_only_the_choice_is_static():
    @functools.partial(jax.jit, static_argnames="warm")
    def decay(weights, step, warm):
        return weights if warm else weights * 0.9**step

    return [decay(WEIGHTS, step, warm=step == 0) for step in range(6)]  # two values, two traces


def dead_end_numpy_number():
    @functools.partial(jax.jit, static_argnames="step")
    def decay(weights, step):
        return weights * 0.9**step

    return [decay(WEIGHTS, step=np.int32(step)) for step in range(6)]


def dead_end_static_position():
    @functools.partial(jax.jit, static_argnums=1)
    def decay(weights, step):
        return weights * 0.9**step

    return [decay(WEIGHTS, step) for step in range(6)]


def dead_end_in_a_tuple():
    @functools.partial(jax.jit, static_argnames="settings")
    def decay(weights, settings):
        return weights * 0.9 ** settings[0]

    return [decay(WEIGHTS, settings=(step,)) for step in range(6)]


def dead_end_partial():
    def decay(weights, step):
        return weights * 0.9**step

    return [jax.jit(functools.partial(decay, step=step))(WEIGHTS) for step in range(6)]


def message_a_name():
    @functools.partial(jax.jit, static_argnums=1)
    def reduce(x, kind):
        return {"sum": jnp.sum, "mean": jnp.mean, "max": jnp.max}[kind](x)

    return [reduce(WEIGHTS, kind) for kind in ("sum", "mean", "max")]


def message_a_length():
    @functools.partial(jax.jit, static_argnames=("length",))
    def generate(x, length):
        return jnp.tile(x, length)

    return [generate(WEIGHTS, length=length) for length in (3, 5, 8, 13)]


def message_a_rate():
    class Model:
        @functools.partial(jax.jit, static_argnums=(0, 2))
        def drop(self, x, rate):
            return x * (1.0 - rate)

    model = Model()
    return [model.drop(WEIGHTS, rate) for rate in (0.1, 0.2, 0.3)]


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)

    @functools.partial(jax.jit, static_argnames="step")
    def decay(weights, step):
        return weights * 0.9**step

    return [decay(WEIGHTS, step=step) for step in range(4)]
