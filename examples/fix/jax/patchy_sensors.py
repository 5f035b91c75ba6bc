"""Some readings come with a weight, some with a drift, some with both."""

import jax
import jax.numpy as jnp


@jax.jit
def corrected(reading):
    level = reading["level"]
    if "drift" in reading:
        level = level - reading["drift"]
    if "weight" in reading:
        level = level * reading["weight"]
    return jnp.sqrt(jnp.abs(level)).sum()


for hour in range(12):
    reading = {"level": jnp.arange(3.0) + hour}
    if hour % 2:
        reading["weight"] = jnp.full(3, 0.5)
    if hour % 3:
        reading["drift"] = jnp.full(3, 0.25)
    print(hour, corrected(reading).round(4))
