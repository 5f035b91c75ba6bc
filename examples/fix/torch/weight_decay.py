"""A penalty for every layer, by its name; the module counts its calls. Either alone has it compiled eight times."""

import torch


class Penalty(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, weight, name):
        self.calls += 1
        scale = 0.0 if name.endswith("bias") else 0.5
        return (weight * weight).sum() * scale / self.calls


penalty = torch.compile(Penalty(), backend="eager")
for number in range(12):
    name = f"layer{number}.{'bias' if number % 3 else 'weight'}"
    print(name, round(penalty(torch.ones(3) * number, name).item(), 4))
