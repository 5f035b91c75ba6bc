"""Melodies of every length: padding changes what a mean is, so it is left to the author."""

import jax
import jax.numpy as jnp


@jax.jit
def mean_pitch(notes):
    return jnp.mean(notes)


for length in (12, 7, 9, 15, 11, 13):
    print(length, mean_pitch(60.0 + jnp.arange(float(length))))
