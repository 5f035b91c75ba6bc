"""A number that a module keeps is compiled in as a constant: a step counter is a compilation per step."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=6, cause="guard", path="self.step", cured=2)


def failure():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(6)]


def workaround_buffer():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("step", torch.zeros(()))

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(6)]


def workaround_allow_unspec_int():
    torch._dynamo.config.allow_unspec_int_on_nn_module = True

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(6)]


def workaround_count_outside():
    class Model(torch.nn.Module):
        def forward(self, x, step):
            return x * 0.9**step

    model = torch.compile(Model())
    return [model(torch.ones(3), torch.tensor(step)) for step in range(1, 7)]


def dead_end_dynamic():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model(), dynamic=True)
    return [model(torch.ones(3)) for _ in range(6)]


def dead_end_raise_the_limit():
    torch._dynamo.config.recompile_limit = 64

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(6)]


def dead_end_reset():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * 0.9**self.step

    model = torch.compile(Model())
    outputs = []
    for _ in range(6):
        torch._dynamo.reset()
        outputs.append(model(torch.ones(3)))
    return outputs


def message_layer_index():
    class Block(torch.nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.depth = depth
            self.project = torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.project(x) / self.depth

    return [torch.compile(Block(depth))(torch.ones(2, 4)) for depth in (1, 2, 3, 4)]


def message_annealed():
    class Sampler(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, logits):
            self.calls += 1
            return logits / (1 + self.calls)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.sampler = Sampler()

        def forward(self, x):
            return self.sampler(x * 2)

    model = torch.compile(Model())
    return [model(torch.ones(3)) for _ in range(4)]


def message_cache_length():
    class Cache(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.length = 0
            self.register_buffer("keys", torch.zeros(8, 2))

        def forward(self, key):
            self.keys[self.length] = key
            self.length += 1
            return self.keys.sum()

    cache = torch.compile(Cache())
    return [cache(torch.ones(2)) for _ in range(4)]
