"""A module that counts how often it was called."""

import torch


class Average(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        share = min(0.9, self.seen / (self.seen + 10))
        self.mean = share * self.mean + (1 - share) * x.mean(0)
        return x - self.mean


average = torch.compile(Average(3), backend="eager")
for number in range(14):
    print(average(torch.ones(2, 3) * number).sum().item())
