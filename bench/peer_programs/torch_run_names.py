"""Each call gets a name of its own: a string is part of what is compiled."""

import torch


@torch.compile(backend="eager")
def log_and_scale(x, name):
    return x * len(name)


for number in range(6):
    log_and_scale(torch.ones(8), f"run-{number}")  # the call
print("done")
