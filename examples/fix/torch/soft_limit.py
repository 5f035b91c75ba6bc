"""A limit that the program lowers from outside; `clamp` needs it as a number."""

import torch


class Limiter(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = torch.nn.Linear(size, size)
        self.limit = 2.0

    def forward(self, x):
        return self.gain(x).clamp(max=self.limit)


torch.manual_seed(0)
limiter = Limiter(4)
fast = torch.compile(limiter, backend="aot_eager")
for number in range(12):
    limiter.limit = 2.0 - number / 8
    print(fast(torch.ones(2, 4) * number).sum().item())
