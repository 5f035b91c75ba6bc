"""A neural equation solved by torchdiffeq, compiled as a whole; the end of the time is a Python number."""

import torch
from torchdiffeq import odeint

torch.manual_seed(0)
field = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))


@torch.compile(backend="aot_eager")
def rate(t, y):
    return field(y) - 0.1 * y


for points in (3, 5, 2, 8, 4, 6):
    y = odeint(rate, torch.ones(points, 2), torch.linspace(0.0, 1.0, 5), method="rk4")
print(y.shape)
