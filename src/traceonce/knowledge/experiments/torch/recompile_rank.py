"""The number of dimensions is compiled in: another rank is compiled for again, dynamic or not."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=3, cause="rank", path="x.shape")

SHAPES = [(3,), (2, 3), (4, 2, 3), (3,), (2, 3)]


def failure():
    @torch.compile
    def normalise(x):
        return x / (1.0 + x.norm(dim=-1, keepdim=True))

    return [normalise(torch.ones(shape)) for shape in SHAPES]


def workaround_rows():
    @torch.compile(dynamic=True)
    def normalise(rows):
        return rows / (1.0 + rows.norm(dim=-1, keepdim=True))

    outputs = []
    for shape in SHAPES:
        x = torch.ones(shape)
        rows = x.reshape(-1, 3).clone()  # a view would be guarded with the tensor that it looks into
        torch._dynamo.decorators.mark_unbacked(rows, 0)  # and one row would be a case of its own
        outputs.append(normalise(rows).reshape(shape))
    return outputs


def workaround_pad():
    @torch.compile
    def normalise(x):
        return x / (1.0 + x.norm(dim=-1, keepdim=True))

    outputs = []
    for shape in SHAPES:
        x = torch.ones(shape)
        padded = torch.zeros(4, 2, 3)
        padded[tuple(slice(size) for size in (1, 1, *shape)[-3:])] = x
        outputs.append(normalise(padded)[tuple(slice(size) for size in (1, 1, *shape)[-3:])].reshape(shape))
    return outputs


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def normalise(x):
        return x / (1.0 + x.norm(dim=-1, keepdim=True))

    return [normalise(torch.ones(shape)) for shape in SHAPES]


def dead_end_reshape_inside():
    @torch.compile(dynamic=True)
    def normalise(x):
        rows = x.reshape(-1, 3)
        return (rows / (1.0 + rows.norm(dim=-1, keepdim=True))).reshape(x.shape)

    return [normalise(torch.ones(shape)) for shape in SHAPES]


def message_a_sample_without_batch():
    model = torch.compile(torch.nn.Linear(4, 2))
    return [model(torch.ones(3, 4)), model(torch.ones(4))]


def message_keyword():
    @torch.compile
    def add_bias(logits, *, bias):
        return logits + bias

    return [add_bias(torch.ones(2, 3), bias=bias) for bias in (torch.ones(3), torch.ones(2, 3))]


def message_in_a_list():
    @torch.compile
    def total(losses):
        return losses[0].sum() + losses[1].sum()

    return [total([torch.ones(2), torch.ones(2)]), total([torch.ones(2), torch.ones(2, 2)])]
