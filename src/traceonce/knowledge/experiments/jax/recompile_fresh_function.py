"""The cache of jax.jit belongs to the function object: a new one, of the same code, starts with an empty cache."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=5, cause="new_function", function=None)

BATCHES = [np.full(3, number, np.float32) for number in range(5)]


def scale(x):
    return x * 2.0


@cases("a lambda", "a function inside", "a partial")
def failure(use):
    def halved(x, factor):
        return x * factor

    def run(batch):
        if use == "a lambda":
            return jax.jit(lambda x: x * 2.0)(batch)
        if use == "a partial":
            return jax.jit(functools.partial(halved, factor=2.0))(batch)

        @jax.jit
        def doubled(x):
            return x * 2.0

        return doubled(batch)

    return [run(batch) for batch in BATCHES]


@cases("a lambda", "a function inside", "a partial")
def workaround_once_outside(use):
    doubled = jax.jit(lambda x: x * 2.0)

    def run(batch):
        return doubled(batch)

    return [run(batch) for batch in BATCHES]


@cases("a lambda", "a function inside")
def workaround_the_same_function(use):
    def run(batch):
        return jax.jit(scale)(batch)  # a function of the module: the same object in every call

    return [run(batch) for batch in BATCHES]


@cases("a partial")
def workaround_cached_factory(use):
    @functools.cache
    def made(factor):
        return jax.jit(lambda x: x * factor)

    return [made(2.0)(batch) for batch in BATCHES]


@cases("a lambda", "a partial")
def dead_end_keep_them_all(use):
    kept = []
    outputs = []
    for batch in BATCHES:
        kept.append(jax.jit(lambda x: x * 2.0))
        outputs.append(kept[-1](batch))
    return outputs


@cases("a lambda")
def dead_end_same_name(use):
    def run(batch):
        function = lambda x: x * 2.0  # noqa: E731  # that is the point
        function.__name__ = function.__qualname__ = "doubled"
        return jax.jit(function)(batch)

    return [run(batch) for batch in BATCHES]


@cases("a lambda")
def dead_end_compile_ahead(use):
    def run(batch):
        return jax.jit(lambda x: x * 2.0).lower(batch).compile()(batch)

    return [run(batch) for batch in BATCHES]


def message_gradient_in_a_loop():
    def train(weights, batch):
        step = jax.jit(lambda w: w - 0.1 * jnp.mean(batch) * w)
        return step(weights)

    weights = np.ones(3, np.float32)
    for batch in BATCHES:
        weights = train(weights, batch)
    return weights


def message_a_method():
    class Trainer:
        def __init__(self, rate):
            self.step = jax.jit(lambda w: w - rate)

    return [Trainer(0.1 * number).step(np.ones(2, np.float32)) for number in range(4)]


def message_vmap_in_a_call():
    def predict(xs):
        return jax.jit(jax.vmap(lambda x: x**2))(xs)

    return [predict(batch) for batch in BATCHES]


def message_as_jax_explains_it():
    jax.config.update("jax_explain_cache_misses", True)
    return [jax.jit(lambda x: x * 3.0)(batch) for batch in BATCHES]
