"""The data type of a tensor is compiled in: another one is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=3, cause="dtype", path="features.dtype")

TYPES = [torch.float32, torch.float64, torch.int64, torch.float32]


def failure():
    @torch.compile
    def score(features):
        return features.to(torch.float32).tanh().sum(dim=1)

    return [score(torch.arange(6).reshape(2, 3).to(kind)) for kind in TYPES]


def workaround_cast_before_the_call():
    @torch.compile
    def score(features):
        return features.tanh().sum(dim=1)

    return [score(torch.arange(6).reshape(2, 3).to(kind).to(torch.float32)) for kind in TYPES]


def workaround_cast_where_the_data_is_made():
    @torch.compile
    def score(features):
        return features.tanh().sum(dim=1)

    def collate(rows):
        return torch.as_tensor(rows, dtype=torch.float32)

    rows = [[0, 1, 2], [3, 4, 5]]
    batches = [rows, [[float(value) for value in row] for row in rows], rows, rows]
    return [score(collate(batch)) for batch in batches]


def workaround_cast_in_a_wrapper():
    @torch.compile
    def score_float(features):
        return features.tanh().sum(dim=1)

    def score(features):  # not compiled: what it does is not guarded
        return score_float(features.to(torch.float32))

    return [score(torch.arange(6).reshape(2, 3).to(kind)) for kind in TYPES]


def dead_end_dynamic():
    @torch.compile(dynamic=True)
    def score(features):
        return features.to(torch.float32).tanh().sum(dim=1)

    return [score(torch.arange(6).reshape(2, 3).to(kind)) for kind in TYPES]


def dead_end_autocast():
    @torch.compile
    def score(features):
        return features.to(torch.float32).tanh().sum(dim=1)

    with torch.autocast("cpu"):
        return [score(torch.arange(6).reshape(2, 3).to(kind)) for kind in TYPES]


def dead_end_annotate():
    @torch.compile
    def score(features: torch.FloatTensor):
        return features.to(torch.float32).tanh().sum(dim=1)

    return [score(torch.arange(6).reshape(2, 3).to(kind)) for kind in TYPES]


def message_numpy_is_double():
    import numpy as np

    @torch.compile
    def loss(predicted, wanted):
        return ((predicted - wanted) ** 2).mean()

    predicted = torch.ones(3)
    return [loss(predicted, torch.ones(3)), loss(predicted, torch.from_numpy(np.ones(3)))]


def message_half():
    model = torch.compile(torch.nn.ReLU())
    return [model(torch.ones(3)), model(torch.ones(3, dtype=torch.bfloat16)), model(torch.ones(3).half())]


def message_in_a_dictionary():
    @torch.compile
    def masked(batch):
        return batch["x"] * batch["mask"]

    x = torch.ones(2)
    return [masked({"x": x, "mask": x > 0}), masked({"x": x, "mask": (x > 0).int()})]
