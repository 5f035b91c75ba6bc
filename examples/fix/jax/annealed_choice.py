"""A global temperature that cools down: the trace keeps the first one."""

import jax
import jax.numpy as jnp

temperature = 2.0


@jax.jit
def choice(scores):
    return jax.nn.softmax(scores / temperature)


scores = jnp.array([1.0, 2.0, 4.0])
for turn in range(4):
    print(turn, choice(scores).round(4))
    temperature = temperature / 2
