"""The learning rate of an optimizer is a tensor, so that a scheduler changes what is in it, and not a Python number."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, varying_numbers
from traceonce.frameworks.torch.words import LEARNING_RATE_IS_A_TENSOR, NO_OPTIMIZER_MADE

if TYPE_CHECKING:
    import libcst as cst

    from traceonce.fix.source.edits import Edits
    from traceonce.fix.source.module import Module

NAME = "tensor_learning_rate"
OPTION = "lr"
POSITION = 1  # of the rate among the arguments of every optimizer of PyTorch's
_RATE = re.compile(r"(?:^|\.)param_groups\[\d+\]\['lr'\]$")


def propose(case: Case) -> Iterator[Candidate]:
    """First as PyTorch's own documentation writes it; then with all digits of a Python number."""
    rates = [cause for cause in varying_numbers(case) if _RATE.search(cause.path)]
    for dtype in ("", ", dtype=torch.float64") if rates else ():
        yield _candidate(case, rates, f"torch.tensor(value{dtype})")


def _candidate(case: Case, rates: list[Cause], code: str) -> Candidate:
    return Candidate(
        NAME,
        "review",
        tuple(sorted({cause.code for cause in rates})),
        lambda edits: _wrap_rates(case, edits, _optimizer_of(case), code),
        expected_traces=expect(case, rates),
        snippet=f"{_optimizer_of(case) or 'optimizer'}(…, lr={code.replace('value', 'rate')})",
        notes=(LEARNING_RATE_IS_A_TENSOR(),),
    )


def _optimizer_of(case: Case) -> str | None:
    """The class whose `step` is compiled; None where it is read inside a function of the user's."""
    owner = case.diagnosis.function.name.rpartition(".")[0]
    return owner if case.diagnosis.function.library and owner.isidentifier() else None


def _wrap_rates(case: Case, edits: Edits, optimizer: str | None, code: str) -> None:
    from traceonce.fix.project.related import related_files

    files = related_files(edits, case, optimizer or "optim")
    found = [each for file in files for each in _rates(edits, file, optimizer)]
    if not found:
        raise Declined(NO_OPTIMIZER_MADE(name=optimizer or "torch.optim"))
    for module, rate in found:
        edits.replace(module, rate, functools.partial(_wrapped, edits, module, rate, code))


def _wrapped(
    edits: Edits, module: Module, rate: cst.BaseExpression, code: str, value: cst.BaseExpression
) -> cst.BaseExpression:
    return edits.expression(module, code, rate, value=value)


def _rates(edits: Edits, file: str, optimizer: str | None) -> Iterator[tuple[Module, cst.BaseExpression]]:
    """The rates that are written where optimizers of that class are made; those that are tensors already are not."""
    import libcst as cst

    from traceonce.fix.source.callees import last_name

    module = edits.module(file)
    for call in module.nodes(cst.Call):
        made = _is_optimizer(module, call.func) if optimizer is None else last_name(call.func) == optimizer
        for rate in _given_rates(call) if made else ():
            if "tensor" not in module.code(rate):
                yield module, rate


def _is_optimizer(module: Module, expression: cst.CSTNode) -> bool:
    from traceonce.fix.source.wrappers import meaning

    names = [name.rpartition(".") for name in meaning(module, expression)]
    return any(package in ("torch.optim", "torch.optim.optimizer") and name[:1].isupper() for package, _, name in names)


def _given_rates(call: cst.Call) -> Iterator[cst.BaseExpression]:
    import libcst as cst

    from traceonce.fix.source.module import walk

    for position, argument in enumerate(call.args):
        given = argument.keyword.value if argument.keyword is not None else None
        if given == OPTION or (given is None and position == POSITION and not argument.star):
            yield argument.value
        if position == 0:  # groups of parameters, with rates of their own
            keys = [node for node in walk(argument.value) if isinstance(node, cst.DictElement)]
            yield from (
                node.value
                for node in keys
                if isinstance(node.key, cst.SimpleString) and node.key.evaluated_value == OPTION
            )


_SCHEDULED = Example(
    title="A scheduler and a compiled optimizer step",
    function="SGD.step",
    traces_before=8,
    traces_after=1,
    program='''\
import torch

weight = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([weight], lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
step = torch.compile(optimizer.step, backend="aot_eager")

for number in range(12):
    weight.grad = torch.ones(3)
    step()
    schedule.step()
print(round(weight.sum().item(), 3))
''',
    repaired='''\
import torch

weight = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([weight], lr=torch.tensor(0.1))
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
step = torch.compile(optimizer.step, backend="aot_eager")

for number in range(12):
    weight.grad = torch.ones(3)
    step()
    schedule.step()
print(round(weight.sum().item(), 3))
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Store the learning rate in a tensor",
    what="Passes `lr=torch.tensor(…)` where the optimizer is created.",
    why="A scheduler assigns a new Python number at every step, and a compiled step is specialized on it: SGD "
    "with PyTorch 2.13, most optimizers with older versions. A tensor is updated in place and compiled for "
    "once.",
    beware="`optimizer.param_groups[0]['lr']` and `get_last_lr()` become tensors, also in prints, logs and saved "
    "state. `ReduceLROnPlateau` still assigns a Python number.",
    propose=propose,
    examples=(_SCHEDULED,),
)
