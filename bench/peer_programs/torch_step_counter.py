"""A module counts its steps in a Python number: it is compiled again for each, and at last runs eagerly."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.step = 0

    def forward(self, x):
        self.step += 1
        return self.layer(x) * min(1.0, self.step / 10)


net = torch.compile(Net(), backend="eager")
for _ in range(15):
    net(torch.ones(4, 8))  # the call
print("done")
