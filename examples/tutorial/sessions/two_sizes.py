import torch

weights = {size: 1.0 / size for size in range(2, 14)}


@torch.compile(backend="eager", dynamic=False)
def average(x):
    return x.sum(0) / x.shape[0]


@torch.compile(backend="eager", dynamic=False)
def weighted(x):
    return x.sum() * weights[x.shape[0]]


for length in range(2, 14):
    batch = torch.rand(length, 3)
    print(average(batch).sum().item())
for length in range(2, 14):
    print(weighted(torch.ones(length)).item())
