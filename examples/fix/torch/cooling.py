"""The state of an annealer is an object of its own; the compiled function reads its step, under `dynamic=False`."""

import torch


class Annealer:
    def __init__(self):
        self.step = 0

    def advance(self):
        self.step += 1


annealer = Annealer()


@torch.compile(backend="eager", dynamic=False)
def accept(energy):
    return torch.exp(-energy * (1 + annealer.step))


for _ in range(12):
    print(accept(torch.tensor([0.1, 0.2])).tolist())
    annealer.advance()
