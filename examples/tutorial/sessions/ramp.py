import jax
import jax.numpy as jnp


@jax.jit
def ramp(n):
    return jnp.arange(n) / n


for n in (3, 5, 3):
    print(ramp(n))
