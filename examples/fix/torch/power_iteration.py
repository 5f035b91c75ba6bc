"""As many turns of a loop as are asked for."""

import torch


@torch.compile(backend="eager")
def dominant(matrix, vector, turns):
    for _ in range(turns):
        vector = matrix @ vector
        vector = vector / vector.norm()
    return vector


matrix = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
for turns in range(1, 13):
    print(dominant(matrix, torch.ones(2), turns).tolist())
