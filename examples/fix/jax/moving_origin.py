"""A method jits a lambda over attributes that change between calls."""

import jax
import jax.numpy as jnp


class Tracker:
    def __init__(self):
        self.origin = jnp.zeros(2)
        self.scale = 1.0

    def locate(self, points):
        nearest = jax.jit(lambda p: jnp.min(jnp.sum(((p - self.origin) / self.scale) ** 2, axis=1)))
        return nearest(points)

    def move(self, by):
        self.origin = self.origin + by
        self.scale *= 1.5


tracker = Tracker()
points = jnp.arange(8.0).reshape(4, 2)
for turn in range(5):
    print(turn, tracker.locate(points).round(4))
    tracker.move(0.5)
