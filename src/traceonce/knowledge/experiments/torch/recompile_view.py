"""With dynamic shapes, a view is guarded together with the tensor that it looks into."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="guard")


def failure():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    table = torch.ones(12, 4).cumsum(dim=1)
    return [score(table[:6]), score(table[6:9].clone())]


def workaround_clone_the_views():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    table = torch.ones(12, 4).cumsum(dim=1)
    return [score(table[:6].clone()), score(table[6:9].clone())]


def workaround_always_a_view():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    table = torch.ones(12, 4).cumsum(dim=1)
    return [score(table[:6]), score(table[6:9])]


def workaround_mark_the_size_that_varies():
    @torch.compile
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    outputs = []
    table = torch.ones(12, 4).cumsum(dim=1)
    for batch in (table[:6], table[6:9].clone()):
        torch._dynamo.mark_dynamic(batch, 0)
        outputs.append(score(batch))
    return outputs


def dead_end_contiguous():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    table = torch.ones(12, 4).cumsum(dim=1)
    return [score(table[:6].contiguous()), score(table[6:9].clone())]


def workaround_detach():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    table = torch.ones(12, 4).cumsum(dim=1)
    return [score(table[:6].detach()), score(table[6:9].clone())]


def message_reshaped():
    @torch.compile(dynamic=True)
    def centre(rows):
        return rows - rows.mean(dim=0)

    return [centre(torch.ones(12).reshape(4, 3)), centre(torch.ones(5, 3))]


def message_padded():
    @torch.compile(dynamic=True)
    def scale(rows):
        return rows * 0.5

    batches = torch.ones(7, 4).split(4)
    return [scale(batches[0]), scale(torch.cat([batches[1], torch.zeros(1, 4)]))]
