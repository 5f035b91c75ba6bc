"""Whether a tensor wants a gradient is guarded: the other answer is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="guard", path="image.requires_grad")


def failure():
    @torch.compile
    def energy(image):
        return (image.tanh() ** 2).sum()

    plain = energy(torch.ones(2, 3))
    adversarial = torch.full([2, 3], 0.5, requires_grad=True)
    loss = energy(adversarial)
    loss.backward()
    return [plain, loss.detach(), adversarial.grad]


def workaround_always_want_it():
    @torch.compile
    def energy(image):
        return (image.tanh() ** 2).sum()

    plain = energy(torch.ones(2, 3).requires_grad_())
    adversarial = torch.full([2, 3], 0.5, requires_grad=True)
    loss = energy(adversarial)
    loss.backward()
    return [plain.detach(), loss.detach(), adversarial.grad]


def workaround_gradient_by_function():
    def energy(image):
        return (image.tanh() ** 2).sum()

    @torch.compile
    def slope_and_energy(image):
        return torch.func.grad_and_value(energy)(image)

    _, plain = slope_and_energy(torch.ones(2, 3))
    slope, loss = slope_and_energy(torch.full([2, 3], 0.5))
    return [plain, loss, slope]


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def energy(image):
        return (image.tanh() ** 2).sum()

    plain = energy(torch.ones(2, 3))
    adversarial = torch.full([2, 3], 0.5, requires_grad=True)
    loss = energy(adversarial)
    loss.backward()
    return [plain, loss.detach(), adversarial.grad]


def dead_end_no_grad():
    @torch.compile
    def energy(image):
        return (image.tanh() ** 2).sum()

    with torch.no_grad():
        plain = energy(torch.ones(2, 3))
    adversarial = torch.full([2, 3], 0.5, requires_grad=True)
    loss = energy(adversarial)
    loss.backward()
    return [plain, loss.detach(), adversarial.grad]


def dead_end_detach_inside():
    @torch.compile
    def energy(image):
        image = image.detach()
        return (image.tanh() ** 2).sum()

    plain = energy(torch.ones(2, 3))
    loss = energy(torch.full([2, 3], 0.5, requires_grad=True))
    return [plain, loss, None]


def message_frozen_weights():
    @torch.compile
    def project(x, weight):
        return x @ weight

    weight = torch.ones(3, 2)
    return [project(torch.ones(2, 3), weight), project(torch.ones(2, 3), weight.clone().requires_grad_())]


def message_frozen_backbone():
    layer = torch.nn.Linear(3, 2)
    model = torch.compile(layer)
    outputs = [model(torch.ones(2, 3))]
    layer.requires_grad_(False)
    return [*outputs, model(torch.ones(2, 3))]


def message_hidden_state():
    @torch.compile
    def cell(x, state):
        return torch.tanh(x + state)

    weight = torch.ones(3, requires_grad=True)
    state = torch.zeros(3)
    for _ in range(3):
        state = cell(torch.ones(3) * weight, state)
    return state
