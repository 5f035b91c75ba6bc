"""`jax.no_tracing` refuses every new trace, also those that operations outside of any jit make for themselves."""

import jax
import jax.numpy as jnp

from traceonce.knowledge.experiment import Raises, cases

symptom = Raises(type="RuntimeError", text=r"re-tracing function .* but 'no_tracing' is set")

BATCHES = ([1.0, 2.0], [3.0, 5.0], [7.0, 9.0])


@cases("an operation on its result", "an operation on its argument")
def failure(use):
    @jax.jit
    def step(x):
        return jnp.sum(x)

    def run(batch):
        x = jnp.array(batch)
        if use == "an operation on its argument":
            return step(jnp.flip(x))
        return step(x) * 2.0

    for _ in range(2):  # warm: this shape is compiled
        step(jnp.array(BATCHES[0]))
    with jax.no_tracing():
        return [run(batch) for batch in BATCHES]


@cases("an operation on its result", "an operation on its argument")
def right(use):
    return [3.0, 8.0, 16.0] if use == "an operation on its argument" else [6.0, 16.0, 32.0]


@cases("an operation on its result", "an operation on its argument")
def workaround_warm_up_the_whole_step(use):
    @jax.jit
    def step(x):
        return jnp.sum(x)

    def run(batch):
        x = jnp.array(batch)
        if use == "an operation on its argument":
            return step(jnp.flip(x))
        return step(x) * 2.0

    for _ in range(2):  # what is done around the function is compiled as well
        run(BATCHES[0])
    with jax.no_tracing():
        return [run(batch) for batch in BATCHES]


@cases("an operation on its result", "an operation on its argument")
def workaround_everything_inside(use):
    import numpy as np

    @jax.jit
    def run(x):
        if use == "an operation on its argument":
            return jnp.sum(jnp.flip(x))
        return jnp.sum(x) * 2.0

    for _ in range(2):
        run(np.array(BATCHES[0], np.float32))
    with jax.no_tracing():
        return [run(np.array(batch, np.float32)) for batch in BATCHES]


@cases("an operation on its result")
def dead_end_warm_up_the_function_more_often(use):
    @jax.jit
    def step(x):
        return jnp.sum(x)

    for _ in range(100):
        jax.block_until_ready(step(jnp.array(BATCHES[0])))
    with jax.no_tracing():
        return [step(jnp.array(batch)) * 2.0 for batch in BATCHES]


@cases("an operation on its result")
def dead_end_compile_ahead(use):
    @jax.jit
    def step(x):
        return jnp.sum(x)

    compiled = step.lower(jnp.array(BATCHES[0])).compile()
    with jax.no_tracing():
        return [compiled(jnp.array(batch)) * 2.0 for batch in BATCHES]


def message_a_comparison():
    loss = jnp.ones(())
    with jax.no_tracing():
        return loss > 0.5


def message_a_new_shape():
    @jax.jit
    def step(x):
        return x * 2.0

    for _ in range(2):
        step(jnp.ones(3))
    longer = jnp.ones(4)
    with jax.no_tracing():
        return step(longer)


def message_a_mean():
    losses = jnp.ones(5)
    with jax.no_tracing():
        return losses.mean()
