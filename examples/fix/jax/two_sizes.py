"""A control: two image sizes, one trace for each, and nothing to repair."""

import jax
import jax.numpy as jnp


@jax.jit
def contrast(image):
    return jnp.max(image) - jnp.min(image)


for turn in range(8):
    side = 8 if turn % 2 else 16
    print(turn, contrast(jnp.arange(float(side * side)).reshape(side, side)))
