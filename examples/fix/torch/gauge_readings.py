"""Readings in four dtypes, which meet a float32 weight and become what it is."""

import numpy as np
import torch

weight = torch.tensor([0.5, 0.25, 0.25])


@torch.compile(backend="eager")
def weighted(readings):
    return (readings.to(weight) * weight).sum()


for number, kind in enumerate(["float32", "float64", "int32", "uint8"] * 3):
    readings = (np.arange(3) + number).astype(kind)
    print(weighted(torch.from_numpy(readings)).item())
