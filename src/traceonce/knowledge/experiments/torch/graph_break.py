"""A call that cannot be traced cuts the graph in two: what stands between the parts runs in Python."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Logs

torch.compiler.set_default_backend("eager")  # what counts is where the graph breaks, not what the compiler makes of it
set_logs(graph_breaks=True)

symptom = Logs(text=r"Graph break in user code at|Failed to trace builtin operator")


def failure():
    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        print("loss", loss)
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def workaround_print_outside():
    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        return loss * 0.5, loss

    outputs = []
    for number in range(1, 4):
        half, loss = train_step(torch.ones(3) * number)
        print("loss", loss)
        outputs.append(half)
    return outputs


def workaround_reorderable():
    torch._dynamo.config.reorderable_logging_functions.add(print)

    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        print("loss", loss)
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def workaround_only_when_eager():
    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        if not torch.compiler.is_compiling():
            print("loss", loss)
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def dead_end_fullgraph():
    @torch.compile(fullgraph=True)
    def train_step(x):
        loss = (x**2).sum()
        print("loss", loss)
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def dead_end_disable_the_helper():
    @torch.compiler.disable
    def report(loss):
        print("loss", loss)

    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        report(loss)
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def dead_end_fstring():
    @torch.compile
    def train_step(x):
        loss = (x**2).sum()
        print(f"loss {loss}")
        return loss * 0.5

    return [train_step(torch.ones(3) * number) for number in range(1, 4)]


def message_input():
    @torch.compile
    def load(x):
        return x * len(open("train.py").read())

    return load(torch.ones(2))


def message_in_a_module():
    class Net(torch.nn.Module):
        def forward(self, x):
            print("shape", x.shape, "mean", x.mean())
            return x + 1

    return torch.compile(Net())(torch.ones(2))


def message_in_a_helper():
    def check(x):
        breakpoint_at = x.max()
        print(breakpoint_at)

    @torch.compile
    def step(x):
        check(x)
        return x * 2

    return step(torch.ones(2))
