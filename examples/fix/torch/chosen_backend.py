"""The function is compiled in every call, with a backend that is a new function each time."""

import torch


def smooth(signal):
    return (signal[1:] + signal[:-1]) / 2


def filtered(signal):
    return torch.compile(smooth, backend=lambda graph, inputs: graph.forward)(signal)


for number in range(12):
    print(filtered(torch.arange(4.0) + number).tolist())
