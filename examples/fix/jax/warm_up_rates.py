"""A step that is defined in every epoch, and takes the rate as a static argument: two causes, one behind the other."""

import functools

import jax
import jax.numpy as jnp

inputs = jnp.linspace(-1.0, 1.0, 8)
weight = jnp.float32(0.0)
for epoch in range(3):
    offset = 0.5 * epoch

    @functools.partial(jax.jit, static_argnames="rate")
    def step(weight, rate):
        slope = jax.grad(lambda w: jnp.mean((w * inputs - inputs - offset) ** 2))(weight)
        return weight - rate * slope

    for turn in range(4):
        weight = step(weight, rate=0.1 * (turn + 1))
    print(epoch, weight.round(4))
