"""A size of one is always compiled for on its own, also where all other sizes share one graph."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=2, cause="shape", path="batch.shape[0]")

SIZES = [8, 5, 1, 3, 1]


def failure():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    return [score(torch.ones(rows, 4).cumsum(dim=1)) for rows in SIZES]


def workaround_mark_unbacked():
    @torch.compile
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    outputs = []
    for rows in SIZES:
        batch = torch.ones(rows, 4).cumsum(dim=1)
        torch._dynamo.decorators.mark_unbacked(batch, 0)
        outputs.append(score(batch))
    return outputs


def workaround_pad_to_two():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    def score_rows(batch):
        rows = len(batch)
        padded = batch if rows > 1 else torch.cat([batch, batch])
        return score(padded)[:rows]

    return [score_rows(torch.ones(rows, 4).cumsum(dim=1)) for rows in SIZES]


def workaround_pad_to_the_batch():
    @torch.compile
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    def score_rows(batch):
        rows = len(batch)
        padded = torch.cat([batch, batch.new_zeros(8 - rows, 4)])
        return score(padded)[:rows]

    return [score_rows(torch.ones(rows, 4).cumsum(dim=1)) for rows in SIZES]


def dead_end_mark_dynamic():
    @torch.compile
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    outputs = []
    for rows in SIZES:
        batch = torch.ones(rows, 4).cumsum(dim=1)
        torch._dynamo.mark_dynamic(batch, 0)
        outputs.append(score(batch))
    return outputs


def dead_end_begin_with_one():
    @torch.compile(dynamic=True)
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    score(torch.zeros(1, 4))
    return [score(torch.ones(rows, 4).cumsum(dim=1)) for rows in SIZES]


def dead_end_leave_it_automatic():
    @torch.compile
    def score(batch):
        return batch.softmax(dim=1).max(dim=1).values

    return [score(torch.ones(rows, 4).cumsum(dim=1)) for rows in SIZES]


def message_the_last_batch():
    @torch.compile(dynamic=True)
    def embed(rows):
        return rows @ torch.ones(4, 2)

    return [embed(torch.ones(rows, 4)) for rows in (3, 3, 3, 1)]


def message_generation():
    @torch.compile(dynamic=True)
    def attend(query, keys):
        return (query @ keys.transpose(-1, -2)).softmax(dim=-1)

    return [attend(torch.ones(2, length, 4), torch.ones(2, 9, 4)) for length in (7, 5, 1)]


def message_in_a_module():
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    model = torch.compile(network, dynamic=True)
    return [model(torch.ones(rows, 4)) for rows in (6, 4, 1)]
