"""Sizes 0 and 1 are compiled apart: advice, since what leaves them open, too, takes more on trust."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import ALONE, varying_dimensions
from traceonce.frameworks.torch.words import SIZES_0_AND_1_APART


def propose(case: Case) -> Iterator[Candidate]:
    for dimension in varying_dimensions(case):
        sizes = {dimension.cause.was, dimension.cause.now, *dimension.cause.values}
        if sizes & ALONE:
            call = f"torch._dynamo.decorators.mark_unbacked({dimension.path}, {dimension.axis})"
            yield Candidate("size_one", "advice", (CauseCode.SHAPE,), None, None, call, (SIZES_0_AND_1_APART(),))


RECIPE = Recipe(
    name="size_one",
    title="Handle sizes 0 and 1",
    what="Explains that sizes 0 and 1 compile separately, and how to make them dynamic.",
    why="PyTorch never treats a size of 1 as dynamic, because broadcasting depends on it. A final batch of one "
    "example therefore recompiles, whatever is marked as dynamic. `mark_unbacked` makes the size dynamic "
    "without inspecting it.",
    beware="Under `mark_unbacked`, a body that compares the size or broadcasts along it fails to compile.",
    propose=propose,
    examples=(
        Example(
            title="An occasional single example, and `dynamic=False`",
            function="scaled",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def scaled(x):
    return torch.sin(x) * 2


for length in [5, 1, 4, 3, 2, 6, 7, 8, 9, 10, 1, 11]:
    print(scaled(torch.ones(length)).sum().item())
''',
            advice="torch._dynamo.decorators.mark_unbacked(x, 0)",
        ),
    ),
)  # fmt: skip
