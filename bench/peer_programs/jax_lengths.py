"""Sentences of every length: each new length is compiled anew."""

import jax
import jax.numpy as jnp
import numpy as np

table = jnp.ones([100, 8])


@jax.jit
def score(ids, scale):
    return (table[ids].mean(axis=1) * scale).sum(axis=1)


for length in (12, 9, 15, 20, 17, 11, 9, 12):
    score(np.ones([4, length], np.int32), np.float32(0.5))  # the call
print("done")
