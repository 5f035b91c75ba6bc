"""A grid that is made for every call, and hashed by what it is made of: `==` still compares identity."""

import functools

import jax
import jax.numpy as jnp


class Grid:
    def __init__(self, size, step):
        self.size = size
        self.step = step
        self.points = [at * step for at in range(size)]

    def __hash__(self):
        return hash((self.size, self.step))

    def weights(self):
        return [self.step / (2 if at in (0, self.size - 1) else 1) for at in range(self.size)]


@functools.partial(jax.jit, static_argnames="grid")
def integral(height, grid):
    return sum(jnp.exp(-height * at) * weight for at, weight in zip(grid.points, grid.weights(), strict=True))


for turn in range(8):
    grid = Grid(5 + turn % 2, 0.25)
    print(turn, integral(1.0 + turn, grid).round(5))
