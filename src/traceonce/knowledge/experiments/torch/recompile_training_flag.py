"""Training and evaluation are two programs: `model.train()` and `model.eval()` are compiled for apart."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="guard", path="self[1].training")


def failure():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0))
    model = torch.compile(network)
    outputs = [model(torch.ones(2, 4)).detach()]
    network.eval()
    outputs.append(model(torch.ones(2, 4)).detach())
    return outputs


def workaround_evaluate_uncompiled():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0))
    training = torch.compile(network)
    outputs = [training(torch.ones(2, 4)).detach()]
    network.eval()
    outputs.append(network(torch.ones(2, 4)).detach())  # evaluation runs rarely: not compiled
    return outputs


def workaround_leave_the_layer_outside():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0))
    linear = torch.compile(network[0])  # what is the same in training and evaluation
    outputs = [network[1](linear(torch.ones(2, 4))).detach()]
    network.eval()
    outputs.append(network[1](linear(torch.ones(2, 4))).detach())
    return outputs


def dead_end_dynamic():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0))
    model = torch.compile(network, dynamic=True)
    outputs = [model(torch.ones(2, 4)).detach()]
    network.eval()
    outputs.append(model(torch.ones(2, 4)).detach())
    return outputs


def dead_end_reset():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.0))
    model = torch.compile(network)
    outputs = [model(torch.ones(2, 4)).detach()]
    network.eval()
    torch._dynamo.reset()
    outputs.append(model(torch.ones(2, 4)).detach())
    return outputs


def message_batch_norm():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(4)

        def forward(self, x):
            return self.norm(x)

    network = Net()
    model = torch.compile(network)
    outputs = [model(torch.ones(3, 4)).sum()]
    return [*outputs, torch.compile(network.eval())(torch.ones(3, 4)).sum()]


def message_own_flag():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x.mean() if self.training else x.sum()

    network = Net()
    model = torch.compile(network)
    outputs = [model(torch.ones(3))]
    network.eval()
    return [*outputs, model(torch.ones(3))]
