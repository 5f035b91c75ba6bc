"""How many tensors a list, a tuple or a dictionary holds is compiled in: a loop over it is unrolled."""

import torch
from torch._logging import set_logs

from traceonce.knowledge.experiment import Retraces, cases

torch.compiler.set_default_backend("eager")  # what counts is how often is compiled, not what the compiler makes of it
set_logs(recompiles=True)

symptom = Retraces(traces=4, cause="structure", cured=2)

COUNTS = [2, 4, 3, 5]


@cases("a list", "a dictionary")
def failure(use):
    @torch.compile
    def merge(parts):
        total = torch.zeros(3)
        for part in parts:
            total = total + part
        return total

    @torch.compile
    def merge_named(parts):
        total = torch.zeros(3)
        for part in parts.values():
            total = total + part
        return total

    rows = [[torch.ones(3) * number for number in range(count)] for count in COUNTS]
    if use == "a list":
        return [merge(parts) for parts in rows]
    return [merge_named({f"view {number}": part for number, part in enumerate(parts)}) for parts in rows]


@cases("a list", "a dictionary")
def workaround_stack(use):
    @torch.compile
    def merge(parts):
        return parts.sum(dim=0)

    rows = [[torch.ones(3) * number for number in range(count)] for count in COUNTS]
    return [merge(torch.stack(parts)) for parts in rows]


@cases("a list")
def workaround_pad(use):
    @torch.compile
    def merge(parts):
        total = torch.zeros(3)
        for part in parts:
            total = total + part
        return total

    rows = [[torch.ones(3) * number for number in range(count)] for count in COUNTS]
    return [merge(parts + [torch.zeros(3) for _ in range(5 - len(parts))]) for parts in rows]


@cases("a list")
def workaround_compile_the_step(use):
    @torch.compile
    def add(total, part):
        return total + part

    outputs = []
    for count in COUNTS:
        total = torch.zeros(3)
        for part in [torch.ones(3) * number for number in range(count)]:
            total = add(total, part)
        outputs.append(total)
    return outputs


@cases("a list")
def dead_end_pad_with_one_tensor(use):
    @torch.compile
    def merge(parts):
        total = torch.zeros(3)
        for part in parts:
            total = total + part
        return total

    nothing = torch.zeros(3)  # one tensor at several places is guarded, too
    rows = [[torch.ones(3) * number for number in range(count)] for count in COUNTS]
    return [merge(parts + [nothing] * (5 - len(parts))) for parts in rows]


@cases("a list")
def dead_end_dynamic(use):
    @torch.compile(dynamic=True)
    def merge(parts):
        total = torch.zeros(3)
        for part in parts:
            total = total + part
        return total

    return [merge([torch.ones(3) * number for number in range(count)]) for count in COUNTS]


@cases("a list")
def dead_end_tuple(use):
    @torch.compile
    def merge(*parts):
        total = torch.zeros(3)
        for part in parts:
            total = total + part
        return total

    return [merge(*[torch.ones(3) * number for number in range(count)]) for count in COUNTS]


@cases("a list")
def dead_end_stack_inside(use):
    @torch.compile
    def merge(parts):
        return torch.stack(parts).sum(dim=0)

    return [merge([torch.ones(3) * number for number in range(count)]) for count in COUNTS]


def message_cache():
    @torch.compile
    def attend(query, cache):
        return (torch.cat(cache) @ query).softmax(dim=0)

    cache, outputs = [], []
    for _ in range(4):
        cache.append(torch.ones(1, 3))
        outputs.append(attend(torch.ones(3), list(cache)))
    return outputs


def message_optional_input():
    @torch.compile
    def loss(batch):
        return sum(value.sum() for value in batch.values())

    return [loss({"ids": torch.ones(2)}), loss({"ids": torch.ones(2), "mask": torch.ones(2)})]


def message_pyramid():
    class Neck(torch.nn.Module):
        def forward(self, features):
            return [feature.mean() for feature in features]

    neck = torch.compile(Neck())
    return [neck([torch.ones(side, side) for side in range(2, 2 + levels)]) for levels in (2, 3, 4)]
