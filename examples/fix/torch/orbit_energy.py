"""Integrate a pendulum with torchdiffeq up to ever later times, by a compiled function."""

import torch
from torchdiffeq import odeint

LENGTH = 1.3


def pendulum(t, state):
    angle, speed = state[0], state[1]
    return torch.stack([speed, -9.81 / LENGTH * torch.sin(angle)])


@torch.compile(backend="aot_eager")
def swing(state, until):
    times = torch.linspace(0.0, until, 5)
    return odeint(pendulum, state, times, method="rk4")[-1]


start = torch.tensor([0.4, 0.0])
for quarter in range(1, 11):
    angle, speed = swing(start, quarter / 4)
    print(f"after {quarter / 4} s: angle {angle:.3f}, speed {speed:.3f}")
