"""Readings come as whole numbers, halves and floats, from sensors of several makes."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def spread(readings):
    scaled = readings / 16.0
    return jnp.max(scaled) - jnp.min(scaled)


raw = np.array([3, 17, 40, 8, 25])
for make in ("int16", "float32", "uint8", "float64", "int32", "float32"):
    print(make, spread(raw.astype(make)).round(4))
