"""An integer that is read from a global, a closure or an object is compiled in as a constant."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=5, cause="guard", cured=2)

EPOCH = 0
STATE = {"epoch": 0, "weight": torch.zeros(())}
WEIGHT = torch.zeros(())


class Settings:
    epoch = 0


SETTINGS = Settings()


@cases("a global", "a dictionary", "an object")
def failure(use):
    global EPOCH

    @torch.compile
    def loss_of_global(x):
        return (x * EPOCH).sum()

    @torch.compile
    def loss_of_dictionary(x):
        return (x * STATE["epoch"]).sum()

    @torch.compile
    def loss_of_object(x):
        return (x * SETTINGS.epoch).sum()

    functions = {"a global": loss_of_global, "a dictionary": loss_of_dictionary, "an object": loss_of_object}
    outputs = []
    for epoch in range(2, 7):
        EPOCH = STATE["epoch"] = SETTINGS.epoch = epoch
        outputs.append(functions[use](torch.ones(3)))
    return outputs


@cases("a global", "a dictionary", "an object")
def workaround_argument(use):
    @torch.compile
    def loss(x, epoch):
        return (x * epoch).sum()

    return [loss(torch.ones(3), epoch) for epoch in range(2, 7)]


@cases("a global")
def workaround_global_tensor(use):
    @torch.compile
    def loss(x):
        return (x * WEIGHT).sum()

    outputs = []
    for epoch in range(2, 7):
        WEIGHT.fill_(epoch)
        outputs.append(loss(torch.ones(3)))
    return outputs


@cases("a dictionary")
def workaround_tensor_in_the_dictionary(use):
    @torch.compile
    def loss(x):
        return (x * STATE["weight"]).sum()

    outputs = []
    for epoch in range(2, 7):
        STATE["weight"].fill_(epoch)
        outputs.append(loss(torch.ones(3)))
    return outputs


@cases("a global")
def workaround_float(use):
    global EPOCH

    @torch.compile
    def loss(x):
        return (x * EPOCH).sum()

    outputs = []
    for epoch in range(2, 7):
        EPOCH = float(epoch)  # a float is made an input when it changes, an integer outside the arguments is not
        outputs.append(loss(torch.ones(3)))
    return outputs


@cases("a global")
def dead_end_dynamic(use):
    global EPOCH

    @torch.compile(dynamic=True)
    def loss(x):
        return (x * EPOCH).sum()

    outputs = []
    for epoch in range(2, 7):
        EPOCH = epoch
        outputs.append(loss(torch.ones(3)))
    return outputs


@cases("a global")
def dead_end_tensor_inside(use):
    global EPOCH

    @torch.compile
    def loss(x):
        return (x * torch.tensor(EPOCH)).sum()

    outputs = []
    for epoch in range(2, 7):
        EPOCH = epoch
        outputs.append(loss(torch.ones(3)))
    return outputs


@cases("an object")
def dead_end_allow_unspec_int(use):
    torch._dynamo.config.allow_unspec_int_on_nn_module = True

    @torch.compile
    def loss(x):
        return (x * SETTINGS.epoch).sum()

    outputs = []
    for epoch in range(2, 7):
        SETTINGS.epoch = epoch
        outputs.append(loss(torch.ones(3)))
    return outputs


def message_global_name():
    global EPOCH

    @torch.compile
    def activate(x):
        return x.relu() if EPOCH == "relu" else x.tanh()

    outputs = []
    for EPOCH in ("relu", "tanh"):
        outputs.append(activate(torch.ones(2)))
    return outputs


def message_temperature():
    @torch.compile
    def sample(logits):
        return (logits / STATE["temperature"]).softmax(dim=-1)

    outputs = []
    for temperature in (1.0, 0.5, 0.2):
        STATE["temperature"] = temperature
        outputs.append(sample(torch.ones(3)))
    return outputs


def message_object_of_a_class():
    @torch.compile
    def anneal(x):
        return x * SETTINGS.steps

    outputs = []
    for steps in range(3, 6):
        SETTINGS.steps = steps
        outputs.append(anneal(torch.ones(2)))
    return outputs
