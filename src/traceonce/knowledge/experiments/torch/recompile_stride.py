"""How a tensor lies in memory is guarded: the same shape with other strides is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="guard", path="matrix.stride()[0]")


def failure():
    @torch.compile
    def scale(matrix):
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square), scale(square.t())]


def workaround_contiguous():
    @torch.compile
    def scale(matrix):
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square), scale(square.t().contiguous())]


def workaround_transpose_inside():
    @torch.compile
    def scale(matrix, transposed):
        matrix = torch.where(transposed, matrix.t(), matrix)
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square, torch.tensor(False)), scale(square, torch.tensor(True))]


def dead_end_clone():
    @torch.compile
    def scale(matrix):
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square), scale(square.t().clone())]


def dead_end_contiguous_inside():
    @torch.compile
    def scale(matrix):
        matrix = matrix.contiguous()
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square), scale(square.t())]


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def scale(matrix):
        return matrix / matrix.sum(dim=1, keepdim=True)

    square = torch.arange(1.0, 17.0).reshape(4, 4)
    return [scale(square), scale(square.t())]


def message_channels_last():
    model = torch.compile(torch.nn.Conv2d(3, 2, 3))
    images = torch.ones(2, 3, 8, 8)
    return [model(images), model(images.to(memory_format=torch.channels_last))]


def message_column_of_a_table():
    @torch.compile
    def centre(values):
        return values - values.mean()

    table = torch.arange(12.0).reshape(3, 4)
    return [centre(torch.arange(3.0)), centre(table[:, 1])]


def message_expanded():
    @torch.compile
    def add(x, bias):
        return x + bias

    bias = torch.ones(3)
    return [add(torch.ones(2, 3), torch.ones(2, 3)), add(torch.ones(2, 3), bias.expand(2, 3))]
