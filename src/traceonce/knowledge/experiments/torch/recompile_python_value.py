"""A Python value that decides what is traced is compiled in: every other value is compiled for again."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=5, cause="value", cured=2)

TASKS = ["rank", "count", "split", "merge", "order"]


@cases("a name", "the index of a list")
def failure(use):
    heads = [torch.full([3], 0.5 * number) for number in range(5)]

    @torch.compile
    def answer(x, task):
        return x * len(task) + TASKS.index(task)

    @torch.compile
    def project(x, layer):
        return x * heads[layer]

    if use == "a name":
        return [answer(torch.ones(3), task) for task in TASKS]
    return [project(torch.ones(3), layer) for layer in range(5)]


@cases("a name")
def workaround_numbers_as_tensors(use):
    @torch.compile
    def answer(x, length, number):
        return x * length + number

    return [answer(torch.ones(3), torch.tensor(len(task)), torch.tensor(TASKS.index(task))) for task in TASKS]


@cases("a name")
def workaround_look_it_up_outside(use):
    table = torch.tensor([[len(task), TASKS.index(task)] for task in TASKS])

    @torch.compile
    def answer(x, row):
        return x * row[0] + row[1]

    return [answer(torch.ones(3), table[TASKS.index(task)].clone()) for task in TASKS]


@cases("the index of a list")
def workaround_stack_the_list(use):
    heads = torch.stack([torch.full([3], 0.5 * number) for number in range(5)])

    @torch.compile
    def project(x, layer):
        return x * heads.index_select(0, layer)[0]

    return [project(torch.ones(3), torch.tensor([layer])) for layer in range(5)]


@cases("the index of a list")
def dead_end_tensor_as_index(use):
    heads = torch.stack([torch.full([3], 0.5 * number) for number in range(5)])

    @torch.compile
    def project(x, layer):
        return x * heads[layer]

    return [project(torch.ones(3), torch.tensor(layer)) for layer in range(5)]


@cases("the index of a list")
def dead_end_dynamic(use):
    heads = [torch.full([3], 0.5 * number) for number in range(5)]

    @torch.compile(dynamic=True)
    def project(x, layer):
        return x * heads[layer]

    return [project(torch.ones(3), layer) for layer in range(5)]


@cases("the index of a list")
def dead_end_tensor_as_list_index(use):
    heads = [torch.full([3], 0.5 * number) for number in range(5)]

    @torch.compile(fullgraph=True)
    def project(x, layer):
        return x * heads[layer]

    return [project(torch.ones(3), torch.tensor(layer)) for layer in range(5)]


@cases("a name")
def dead_end_raise_the_limit(use):
    @torch.compile(recompile_limit=64)
    def answer(x, task):
        return x * len(task) + TASKS.index(task)

    return [answer(torch.ones(3), task) for task in TASKS]


def message_flag():
    @torch.compile
    def attend(scores, causal):
        return scores.tril().softmax(dim=-1) if causal else scores.softmax(dim=-1)

    return [attend(torch.ones(3, 3), causal) for causal in (True, False)]


def message_learning_rate():
    @torch.compile
    def update(weights, rate):
        return weights - rate * weights

    return [update(torch.ones(3), rate) for rate in (0.1, 0.05, 0.02)]


def message_keyword():
    class Reducer:
        @torch.compile
        def reduce(self, x, *, how="sum"):
            return x.sum() if how == "sum" else x.mean()

    reducer = Reducer()
    return [reducer.reduce(torch.ones(3), how=how) for how in ("sum", "mean")]


def message_steps():
    @torch.compile
    def unroll(x, steps):
        for _ in range(steps):
            x = x.sin()
        return x

    return [unroll(torch.ones(2), steps) for steps in (2, 3, 4)]
