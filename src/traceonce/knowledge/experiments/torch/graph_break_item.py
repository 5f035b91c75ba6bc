"""`.item()` hands a number to Python: the graph ends there, and the device is waited for."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Logs

torch.compiler.set_default_backend("eager")  # what counts is where the graph breaks, not what the compiler makes of it
set_logs(graph_breaks=True)

symptom = Logs(text=r"Graph break from `Tensor\.item\(\)`|Unsupported Tensor\.item\(\) call|Tensor\.tolist\(\) with")


def failure():
    @torch.compile
    def normalise(x):
        largest = x.abs().max().item()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def workaround_stay_a_tensor():
    @torch.compile
    def normalise(x):
        largest = x.abs().max()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def workaround_capture_scalar_outputs():
    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile
    def normalise(x):
        largest = x.abs().max().item()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def workaround_fullgraph():
    @torch.compile(fullgraph=True)  # switches capture_scalar_outputs on
    def normalise(x):
        largest = x.abs().max().item()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def dead_end_float():
    @torch.compile
    def normalise(x):
        largest = float(x.abs().max())
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def dead_end_tolist():
    @torch.compile
    def normalise(x):
        (largest,) = x.abs().max().reshape(1).tolist()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def normalise(x):
        largest = x.abs().max().item()
        return x / largest

    return [normalise(torch.ones(3) * number) for number in (2.0, 3.0)]


def message_int():
    @torch.compile
    def crop(x, size):
        return x[: int(size)]

    return crop(torch.ones(4), torch.tensor(2))


def message_in_a_module():
    class Meter(torch.nn.Module):
        def forward(self, loss):
            return loss * 2 if loss.item() > 1 else loss

    return torch.compile(Meter())(torch.tensor(3.0))


def message_statistics():
    @torch.compile
    def summary(x):
        return {"mean": x.mean().item(), "max": x.max().item()}

    return summary(torch.ones(4))
