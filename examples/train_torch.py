"""Train a small regression model with PyTorch: the height of a wave from a few noisy readings.

The model warms up: in its first steps it adds some noise to its inputs, less with each step. The loss of each epoch is
printed, with the seconds that a step took.

    python examples/train_torch.py [BACKEND]      # of torch.compile: inductor (the default), aot_eager, eager
"""

from __future__ import annotations

import sys
import time

import torch
from torch import nn

EPOCHS = 4
STEPS = 8
BATCH = 64
READINGS = 16
WIDTH = 64
NOISE = 0.1


class Wave(nn.Module):
    """Readings of a wave in, its height out."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(READINGS, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.head = nn.Linear(WIDTH, 1)
        self.step = 0

    def forward(self, readings: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.step += 1
            readings = readings + NOISE / self.step * torch.randn_like(readings)
        return self.head(self.layers(readings)).squeeze(-1)


def draw(generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Waves of random height and phase, each read at the same places."""
    height = torch.rand(BATCH, generator=generator) + 0.5
    phase = torch.rand(BATCH, 1, generator=generator) * 6.28
    return height[:, None] * torch.sin(torch.linspace(0, 6.28, READINGS) + phase), height


def main() -> None:
    torch.set_num_threads(1)  # for so small a model, more threads only wait for each other
    torch.manual_seed(3)
    generator = torch.Generator().manual_seed(4)
    model = Wave()
    compiled = torch.compile(model, backend=sys.argv[1] if len(sys.argv) > 1 else "inductor")
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(EPOCHS):
        began, total = time.perf_counter(), 0.0
        for _ in range(STEPS):
            readings, height = draw(generator)
            loss = nn.functional.mse_loss(compiled(readings), height)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        seconds = (time.perf_counter() - began) / STEPS
        print(f"epoch {epoch + 1}: loss {total / STEPS:.4f}, {seconds * 1e3:.1f} ms a step")


if __name__ == "__main__":
    main()
