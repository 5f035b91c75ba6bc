"""`torch.compile` is applied once: a backend that is made anew each time is another one for PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

BACKEND = "torch.compile(backend=…)"  # the path of such a cause


def propose(case: Case) -> Iterator[Candidate]:
    causes = [cause for cause in case.diagnosis.causes if cause.path == BACKEND]
    if not causes:
        return
    name = case.diagnosis.function.short_name
    left = expect(case, causes)
    once = f"compiled_{name.strip('<>')} = torch.compile({name})  # once, outside of what runs again"

    def change(edits: Edits) -> None:
        from traceonce.fix.hoisting.proposal import find_movable
        from traceonce.fix.hoisting.relocation import move_out

        move_out(edits, find_movable(case, edits))

    yield Candidate("hoist", "safe", (CauseCode.CONTEXT,), change, None, once, expected_traces=left)


_FRESH_BACKEND = Example(
    title="A backend created on every call",
    function="smooth",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


def smooth(x):
    return (x[1:] + x[:-1]) / 2


def prepare(x):
    return torch.compile(smooth, backend=lambda graph, inputs: graph.forward)(x)


for number in range(12):
    print(prepare(torch.arange(4.0) + number).tolist())
''',
    repaired='''\
import torch


def smooth(x):
    return (x[1:] + x[:-1]) / 2


traced_smooth = torch.compile(smooth, backend=lambda graph, inputs: graph.forward)


def prepare(x):
    return traced_smooth(x)


for number in range(12):
    print(prepare(torch.arange(4.0) + number).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name="hoist",
    title="Apply torch.compile once",
    what="Moves the call to `torch.compile` out of a loop, function or method.",
    why="Compiled code is cached per function code and backend. A new lambda or partial is a new backend each "
    "time. (With a named backend, calling `torch.compile` again costs no compilation.)",
    beware="If options differ between calls, the first call's options win.",
    propose=propose,
    only_moves=True,
    examples=(_FRESH_BACKEND,),
)
