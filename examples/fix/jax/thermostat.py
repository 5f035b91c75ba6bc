"""Python's `if`, `elif` and `else` over a temperature that a trace does not know."""

import jax
import jax.numpy as jnp


@jax.jit
def heat(temperature, wanted):
    power = 0.0
    if temperature < wanted - 2.0:
        power = 1.0
    elif temperature < wanted:
        power = (wanted - temperature) / 2.0
    return temperature + power - 0.1


temperature = jnp.float32(15.0)
for minute in range(8):
    temperature = heat(temperature, 20.0)
    print(minute, temperature.round(3))
