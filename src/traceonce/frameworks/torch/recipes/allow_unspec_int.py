"""PyTorch leaves whole numbers open that a module keeps, as it does with all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Note
from traceonce.fix.candidate import Candidate, Example, Recipe, together
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.dynamic import drop_static
from traceonce.frameworks.torch.recipes.varying_values import expect, reasons, varying_numbers
from traceonce.frameworks.torch.words import SECOND_SIZE_COMPILES, SETTING_FOR_ALL_MODULES

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "allow_unspec_int"
SETTING = "torch._dynamo.config.allow_unspec_int_on_nn_module"
HINT = "integer attributes of the nn.Module"  # in PyTorch's own words for such a guard


def propose(case: Case) -> Iterator[Candidate]:
    numbers = varying_numbers(case)
    if not numbers or not any(HINT in reason for reason in reasons(case)):
        return

    def change(edits: Edits) -> None:
        from traceonce.frameworks.torch.recipes.compiler_setup import set_up

        set_up(case, edits, SETTING, "True")

    left = expect(case, numbers)
    codes = tuple(sorted({cause.code for cause in numbers}))
    more = None if left is None else left + 1
    notes: tuple[Note, ...] = (SETTING_FOR_ALL_MODULES(),)
    yield Candidate(NAME, "safe", codes, change, None, f"{SETTING} = True", notes, expected_traces=more)
    both = f"{SETTING} = True\n@torch.compile()  # without dynamic=False"
    either = together(change, lambda edits: drop_static(case, edits))
    notes = (*notes, SECOND_SIZE_COMPILES())
    yield Candidate(f"{NAME}+dynamic", "safe", codes, either, None, both, notes, expected_traces=more)


_COUNTER = Example(
    title="A module that counts its calls",
    function="Warming.forward",
    traces_before=8,
    traces_after=2,
    program='''\
import torch


class Warming(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.step = 0

    def forward(self, x):
        self.step += 1
        return self.layer(x) * min(self.step / 100, 1.0)


model = torch.compile(Warming(), backend="eager")
for number in range(12):
    print(model(torch.ones(4, 3)).sum().item())
''',
    repaired='''\
import torch


class Warming(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.step = 0

    def forward(self, x):
        self.step += 1
        return self.layer(x) * min(self.step / 100, 1.0)


torch._dynamo.config.allow_unspec_int_on_nn_module = True
model = torch.compile(Warming(), backend="eager")
for number in range(12):
    print(model(torch.ones(4, 3)).sum().item())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Let module integers vary",
    what="Sets `torch._dynamo.config.allow_unspec_int_on_nn_module = True` once, above `torch.compile`.",
    why="PyTorch specializes on an integer attribute of a module, since most are settings. A counter reaches the "
    "limit of 8, and the module then runs uncompiled. With this option the integer becomes dynamic after its "
    "second value.",
    beware="It has no effect under `dynamic=False`, which the fix therefore removes. From PyTorch 2.12 it "
    "applies only to the thread that sets it: for a model called from other threads, count in a buffer. A "
    "number that decides the module's structure (how many layers run) is still specialized.",
    propose=propose,
    fits_calls=True,
    examples=(_COUNTER,),
)
