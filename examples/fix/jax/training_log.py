"""The steps are counted, and the slopes collected, inside of the jitted function: once, while it is traced."""

import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, rate):
        self.rate = rate
        self.slopes = []
        self.steps = 0


trainer = Trainer(0.2)


@jax.jit
def train_step(weights, x, y):
    trainer.steps += 1
    slope = x * (weights @ x - y)
    trainer.slopes.append(slope)
    return weights - trainer.rate * slope


weights = jnp.zeros(2)
for turn in range(6):
    weights = train_step(weights, jnp.array([1.0, turn / 4]), 0.5)
print(trainer.steps, [slope.round(3).tolist() for slope in trainer.slopes])
print(weights.round(4))
