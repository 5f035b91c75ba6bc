"""Settings are a static argument: made anew for each call, and equal only to themselves."""

from functools import partial

import jax
import numpy as np


class Settings:
    def __init__(self, depth):
        self.depth = depth

    def __repr__(self):
        return f"Settings(depth={self.depth})"


@partial(jax.jit, static_argnames=("settings",))
def deepen(x, settings):
    for _ in range(settings.depth):
        x = x * 1.5
    return x


for _ in range(6):
    deepen(np.ones(4, np.float32), settings=Settings(depth=3))  # the call
print("done")
