"""A model that counts its calls, and is called on a thread of its own."""

import threading

import torch


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.layer(x) / self.calls


torch.manual_seed(0)
model = torch.compile(Counting(), backend="eager")
results = []


def serve():
    for number in range(12):
        with torch.no_grad():
            results.append(model(torch.ones(2, 3) * number).sum().item())


worker = threading.Thread(target=serve)
worker.start()
worker.join()
print(results)
