"""A name for each run, of which the function only wants to know how it ends."""

import torch


@torch.compile(backend="eager")
def error(predicted, actual, *, run):
    difference = (predicted - actual).abs()
    if run.endswith("_worst"):
        return difference.max()
    return difference.mean()


for number in range(12):
    name = f"run_{number}" + ("_worst" if number % 3 == 0 else "_mean")
    print(name, error(torch.arange(4.0), torch.ones(4), run=name).item())
