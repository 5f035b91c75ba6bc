"""The learning rate is a global, which is lowered while training: the compiled step goes on with the old one."""

import jax
import numpy as np

RATE = 0.1


@jax.jit
def train_step(weights, slopes):
    return weights - RATE * slopes


weights = np.ones(4, np.float32)
for step in range(6):
    if step == 3:
        RATE = 0.01
    weights = train_step(weights, np.ones(4, np.float32))  # the call
print("done", float(weights[0]))
