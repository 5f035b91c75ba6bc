"""A global that counts epochs, read inside the compiled loss."""

import torch

EPOCH = 0


@torch.compile(backend="eager")
def loss(predicted, actual):
    weight = min((EPOCH + 2) / 10, 1.0)
    return ((predicted - actual) ** 2).mean() * weight


def train(epochs):
    global EPOCH
    for EPOCH in range(epochs):
        print(loss(torch.ones(3) * EPOCH, torch.zeros(3)).item())


train(12)
