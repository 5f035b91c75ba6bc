"""Training and evaluation, by a flag: two graphs, which serve all calls to come."""

import torch


@torch.compile(backend="eager")
def predict(x, training):
    return torch.nn.functional.dropout(x, 0.5, training) if training else x * 1.0


for number in range(40):
    predict(torch.ones(8), number % 2 == 0)  # the call
print("done")
