"""`lax.scan` outside of jax.jit compiles its body for each function object: a new lambda is compiled at every call."""

import jax
import jax.numpy as jnp
import numpy as np

from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=5, cause="new_function")

BATCHES = [np.arange(4, dtype=np.float32) + number for number in range(5)]


@cases("scan", "fori_loop", "while_loop")
def failure(use):
    def run(xs):
        if use == "scan":
            return jax.lax.scan(lambda total, x: (total + x, total), np.float32(0.0), xs)[0]
        if use == "fori_loop":
            return jax.lax.fori_loop(0, 4, lambda number, total: total + xs[number], jnp.float32(0.0))
        start = (jnp.int32(0), jnp.float32(0.0))
        return jax.lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] + jnp.asarray(xs)[s[0]]), start)[1]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


@cases("scan", "fori_loop", "while_loop")
def workaround_jit_around_it(use):
    @jax.jit
    def run(xs):
        if use == "scan":
            return jax.lax.scan(lambda total, x: (total + x, total), np.float32(0.0), xs)[0]
        if use == "fori_loop":
            return jax.lax.fori_loop(0, 4, lambda number, total: total + xs[number], jnp.float32(0.0))
        start = (jnp.int32(0), jnp.float32(0.0))
        return jax.lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] + xs[s[0]]), start)[1]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


@cases("scan")
def workaround_body_made_once(use):
    def add(total, x):
        return total + x, total

    def run(xs):
        return jax.lax.scan(add, np.float32(0.0), xs)[0]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


@cases("scan")
def dead_end_named_inside(use):
    def run(xs):
        def add(total, x):  # made anew at each call, whatever it is called
            return total + x, total

        return jax.lax.scan(add, np.float32(0.0), xs)[0]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


@cases("scan")
def dead_end_jit_the_body(use):
    def run(xs):
        return jax.lax.scan(jax.jit(lambda total, x: (total + x, total)), np.float32(0.0), xs)[0]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


@cases("scan")
def dead_end_unroll(use):
    def run(xs):
        return jax.lax.scan(lambda total, x: (total + x, total), np.float32(0.0), xs, unroll=4)[0]

    return [run(jnp.asarray(xs)) for xs in BATCHES]


def message_a_closure():
    def simulate(xs, gravity):
        def step(speed, x):
            return speed + gravity * x, speed

        return jax.lax.scan(step, jnp.float32(0.0), xs)[0]

    return [simulate(jnp.asarray(xs), np.float32(9.8)) for xs in BATCHES]


def message_a_while_loop():
    def settle(x, rate):
        return jax.lax.while_loop(lambda y: y > 1.0, lambda y: y * rate, x)

    return [settle(jnp.float32(9.0 + number), np.float32(0.5)) for number in range(4)]
