"""What is kept from a trace beyond its end is a tracer, no value; to use it later is an error."""

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="UnexpectedTracerError", text=r"Encountered an unexpected tracer")

BATCHES = ([1.0, 2.0], [3.0, 5.0])


@cases("a list", "an attribute", "a global")
def failure(use):
    kept = []

    class Model:
        last = jnp.zeros(())

    model = Model()

    @jax.jit
    def step_with_list(x):
        kept.append(jnp.sum(x))
        return x * 2.0

    @jax.jit
    def step_with_attribute(x):
        model.last = jnp.sum(x)
        return x * 2.0

    @jax.jit
    def step_with_global(x):
        global latest
        latest = jnp.sum(x)
        return x * 2.0

    step = {"a list": step_with_list, "an attribute": step_with_attribute, "a global": step_with_global}[use]
    outputs, sums = [], []
    for batch in BATCHES:
        outputs.append(step(jnp.array(batch)))
        last = {"a list": lambda: kept[-1], "an attribute": lambda: model.last, "a global": lambda: latest}[use]()
        sums.append(last + 0.0)
    return outputs, sums


@cases("a list", "an attribute", "a global")
def right(use):
    return [[[2.0, 4.0], [6.0, 10.0]], [3.0, 8.0]]


@cases("a list", "an attribute", "a global")
def workaround_return_it(use):
    @jax.jit
    def step(x):
        return x * 2.0, jnp.sum(x)

    outputs, sums = [], []
    for batch in BATCHES:
        output, total = step(jnp.array(batch))
        outputs.append(output)
        sums.append(total)
    return outputs, sums


@cases("a list")
def workaround_debug_callback(use):
    sums = []

    @jax.jit
    def step(x):
        jax.debug.callback(lambda total: sums.append(float(total)), jnp.sum(x), ordered=True)
        return x * 2.0

    outputs = [step(jnp.array(batch)) for batch in BATCHES]
    jax.effects_barrier()
    return outputs, sums


@cases("an attribute")
def workaround_state_as_argument(use):
    @jax.jit
    def step(state, x):
        state = {"last": jnp.sum(x), "seen": state["seen"] + 1}
        return x * 2.0, state

    state = {"last": jnp.zeros(()), "seen": 0}
    outputs, sums = [], []
    for batch in BATCHES:
        output, state = step(state, jnp.array(batch))
        outputs.append(output)
        sums.append(state["last"])
    return outputs, sums


@cases("a list")
def dead_end_stop_gradient(use):
    sums = []

    @jax.jit
    def step(x):
        sums.append(jax.lax.stop_gradient(jnp.sum(x)))
        return x * 2.0

    outputs = [step(jnp.array(batch)) for batch in BATCHES]
    return outputs, [total + 0.0 for total in sums]


@cases("a list")
def dead_end_copy(use):
    sums = []

    @jax.jit
    def step(x):
        sums.append(jnp.array(jnp.sum(x), copy=True))
        return x * 2.0

    outputs = [step(jnp.array(batch)) for batch in BATCHES]
    return outputs, [total + 0.0 for total in sums]


@cases("a list")
def dead_end_checking_leaks(use):
    sums = []

    @jax.jit
    def step(x):
        sums.append(jnp.sum(x))
        return x * 2.0

    with jax.checking_leaks():  # tells sooner, and cures nothing
        outputs = [step(jnp.array(batch)) for batch in BATCHES]
    return outputs, [total + 0.0 for total in sums]


def message_used_in_the_next_trace():
    class Average:
        total = jnp.zeros(())

        def __init__(self):
            self.update = jax.jit(self._update)

        def _update(self, x):
            self.total = self.total + jnp.sum(x)
            return self.total

    average = Average()
    average.update(jnp.ones(2))
    return average.update(jnp.ones(3))


def message_from_a_scan():
    seen = []

    def step(carry, x):
        seen.append(carry * x)
        return carry + x, x

    jax.lax.scan(step, 0.0, jnp.arange(3.0))
    return jnp.sum(seen[0])


def message_a_lazy_cache():
    cache = {}

    @jax.jit
    def attend(x):
        if "mask" not in cache:
            cache["mask"] = jnp.tril(jnp.ones((x.shape[0], x.shape[0])))
        return cache["mask"] @ x

    attend(jnp.ones(3))
    return attend(jnp.ones((3, 2)))


def message_a_random_key():
    keys = {"key": jax.random.key(0)}

    @jax.jit
    def noise(x):
        keys["key"], used = jax.random.split(keys["key"])
        return x + jax.random.normal(used, x.shape)

    noise(jnp.ones(2))
    return jax.random.normal(keys["key"], (2,))
