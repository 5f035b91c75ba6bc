"""A function, a class or a module that is passed as an argument is guarded by its identity."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=4, cause="identity", cured=1)


def failure():
    @torch.compile
    def apply(x, activation):
        return activation(x) * 0.5

    activations = [torch.relu, torch.tanh, torch.sigmoid, torch.sin]
    return [apply(torch.ones(3), activation) for activation in activations]


def workaround_apply_outside():
    @torch.compile
    def halve(x):
        return x * 0.5

    activations = [torch.relu, torch.tanh, torch.sigmoid, torch.sin]
    return [halve(activation(torch.ones(3))) for activation in activations]


def workaround_choose_by_number():
    @torch.compile
    def apply(x, number):
        every = torch.stack([torch.relu(x), torch.tanh(x), torch.sigmoid(x), torch.sin(x)])
        return every.index_select(0, number)[0] * 0.5

    return [apply(torch.ones(3), torch.tensor([number])) for number in range(4)]


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def apply(x, activation):
        return activation(x) * 0.5

    activations = [torch.relu, torch.tanh, torch.sigmoid, torch.sin]
    return [apply(torch.ones(3), activation) for activation in activations]


def dead_end_closure():
    outputs = []
    for activation in [torch.relu, torch.tanh, torch.sigmoid, torch.sin]:

        @torch.compile
        def apply(x, activation=activation):
            return activation(x) * 0.5

        outputs.append(apply(torch.ones(3)))
    return outputs


def dead_end_name():
    @torch.compile
    def apply(x, name):
        return getattr(torch, name)(x) * 0.5

    return [apply(torch.ones(3), name) for name in ("relu", "tanh", "sigmoid", "sin")]


def message_losses():
    @torch.compile
    def evaluate(predicted, wanted, *, loss):
        return loss(predicted, wanted)

    losses = (torch.nn.functional.l1_loss, torch.nn.functional.mse_loss)
    return [evaluate(torch.ones(2), torch.zeros(2), loss=loss) for loss in losses]


def message_lambdas():
    @torch.compile
    def transform(x, function):
        return function(x).sum()

    return [transform(torch.ones(2), function) for function in (lambda x: x + 1, lambda x: x * 3)]


def message_builtin_in_a_closure():
    outputs = []
    for function in (torch.abs, torch.exp, torch.square):

        def positive(x, function=function):
            return function(x)

        outputs.append(torch.compile(positive)(torch.ones(2)))
    return outputs
