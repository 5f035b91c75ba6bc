"""An operation does not fit its inputs: found out while tracing, where tensors are fake, and so said in other words."""

import torch

from traceonce.knowledge.experiment import Raises

torch.compiler.set_default_backend("eager")  # what counts is what can be traced, not what the compiler makes of it

symptom = Raises(type="TorchRuntimeError", text=r"RuntimeError when making fake tensor call")


def failure():
    weight = torch.ones(3, 2)

    @torch.compile
    def project(x):
        return x @ weight.t()

    return project(torch.ones(4, 3))


def right():
    return torch.ones(4, 3) @ torch.ones(3, 2)


def workaround_right_shapes():
    weight = torch.ones(3, 2)

    @torch.compile
    def project(x):
        return x @ weight

    return project(torch.ones(4, 3))


def workaround_check_the_shapes():
    weight = torch.ones(3, 2)

    @torch.compile
    def project(x, weight):
        if x.shape[-1] != weight.shape[0]:  # sizes are known while it is traced
            weight = weight.t()
        return x @ weight

    return [project(torch.ones(4, 3), weight.t()), project(torch.ones(4, 3), weight)][1]


def dead_end_force_eager():
    weight = torch.ones(3, 2)

    @torch.compile
    def project(x):
        return x @ weight.t()

    with torch.compiler.set_stance("force_eager"):  # the same mistake, in the words of the operation
        return project(torch.ones(4, 3))


def dead_end_dynamic():
    weight = torch.ones(3, 2)

    @torch.compile(dynamic=True)
    def project(x):
        return x @ weight.t()

    return project(torch.ones(4, 3))


def dead_end_suppress_errors():
    torch._dynamo.config.suppress_errors = True
    weight = torch.ones(3, 2)

    @torch.compile
    def project(x):
        return x @ weight.t()

    return project(torch.ones(4, 3))


def message_in_a_module():
    return torch.compile(torch.nn.Linear(4, 2))(torch.ones(3, 5))


def message_broadcast():
    @torch.compile
    def add(x, y):
        return x + y

    return add(torch.ones(3), torch.ones(4))


def message_view():
    @torch.compile
    def rows(x):
        return x.view(3, 5)

    return rows(torch.ones(4, 4))
