"""One function, called from two places: one of them passes arrays in whatever dtype NumPy has made them."""

import numpy as np
import torch


@torch.compile(backend="eager")
def distance(a, b):
    return ((a - b) ** 2).sum()


def train():
    return distance(torch.ones(8), torch.zeros(8))


def evaluate(dtype):
    return distance(torch.from_numpy(np.ones(8, dtype)), torch.from_numpy(np.zeros(8, dtype)))  # the call


for dtype in ("float64", "int64", "float16", "int32"):
    train()
    evaluate(dtype)
print("done")
