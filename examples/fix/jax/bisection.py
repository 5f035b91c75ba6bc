"""A while_loop that is run eagerly, with a test and a body that close over the target."""

import jax
import jax.numpy as jnp


def cube_root(target):
    def is_wide(bounds):
        low, high = bounds
        return high - low > 1e-4

    def halve(bounds):
        low, high = bounds
        middle = 0.5 * (low + high)
        above = middle**3 > target
        return jnp.where(above, low, middle), jnp.where(above, middle, high)

    low, high = jax.lax.while_loop(is_wide, halve, (jnp.float32(0.0), jnp.float32(10.0)))
    return 0.5 * (low + high)


for target in range(1, 7):
    print(target, f"{cube_root(target * 8.0):.3f}")
