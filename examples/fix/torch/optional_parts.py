"""A batch has a weight and an offset at times: four combinations."""

import torch


@torch.compile(backend="eager")
def loss(batch):
    error = batch["x"] ** 2
    if "weight" in batch:
        error = error * batch["weight"]
    if "offset" in batch:
        error = error + batch["offset"]
    return error.sum()


for number in range(12):
    batch = {"x": torch.ones(3) * number}
    if number % 2:
        batch["weight"] = torch.ones(3)
    if number % 3:
        batch["offset"] = torch.ones(3)
    print(loss(batch).item())
