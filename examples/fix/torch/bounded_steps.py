"""A step is shortened where it is too long: a branch on a tensor, in a function that must be one graph."""

import torch


@torch.compile(backend="eager", fullgraph=True)
def bounded_step(position, slope):
    length = slope.norm()
    if length > 1.0:
        slope = slope / length
    return position - 0.5 * slope


position = torch.tensor([3.0, -2.0])
for turn in range(6):
    position = bounded_step(position, 2 * position)
    print(turn, [round(value, 4) for value in position.tolist()])
