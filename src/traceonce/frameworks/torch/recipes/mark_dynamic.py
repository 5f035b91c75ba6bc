"""PyTorch is told, before the call, which dimensions of an argument vary: it compiles for all sizes at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import (
    Dimension,
    expect,
    markable_dimensions,
    treats_what_matters,
)
from traceonce.frameworks.torch.words import FIXED_SIZE_RAISES

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "mark_dynamic"


def propose(case: Case) -> Iterator[Candidate]:
    dimensions = markable_dimensions(case)
    if not dimensions or not treats_what_matters(case, [dimension.cause for dimension in dimensions]):
        return

    def change(edits: Edits) -> None:
        from traceonce.frameworks.torch.recipes.before_calls import say_before_calls

        for parameter, of_one in _by_parameter(dimensions).items():
            say_before_calls(case, edits, parameter, lambda name, of_one=of_one: _spell(name, of_one))  # type: ignore[misc]

    left = expect(case, [dimension.cause for dimension in dimensions])
    snippet = "\n".join(_spell(parameter, of_one) for parameter, of_one in _by_parameter(dimensions).items())
    notes = (FIXED_SIZE_RAISES(),)
    yield Candidate(NAME, "safe", (CauseCode.SHAPE,), change, None, snippet, notes, expected_traces=left)


def _by_parameter(dimensions: Sequence[Dimension]) -> dict[str, list[Dimension]]:
    found: dict[str, list[Dimension]] = {}
    for dimension in dimensions:
        found.setdefault(_parameter(dimension), []).append(dimension)
    return found


def _parameter(dimension: Dimension) -> str:
    return dimension.path.partition("[")[0].partition(".")[0]


def _spell(name: str, dimensions: Sequence[Dimension]) -> str:
    """A line for each tensor. `name` stands for the whole argument, which may hold several."""
    lines = []
    for path, of_one in itertools.groupby(sorted(dimensions), key=lambda dimension: dimension.path):
        axes = sorted({dimension.axis for dimension in of_one})
        tensor = name + path[len(_parameter(dimensions[0])) :]
        lines.append(f"torch._dynamo.mark_dynamic({tensor}, {axes[0] if len(axes) == 1 else axes})")
    return "\n".join(lines)


_IN_A_LOOP = Example(
    title="Batches of varying length, and `dynamic=False`",
    function="average",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def average(x):
    return x.sum(0) / x.shape[0]


for length in range(2, 14):
    batch = torch.ones(length, 3)
    print(average(batch).tolist())
''',
    repaired='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def average(x):
    return x.sum(0) / x.shape[0]


for length in range(2, 14):
    batch = torch.ones(length, 3)
    torch._dynamo.mark_dynamic(batch, 0)
    print(average(batch).tolist())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Mark the dimension that varies",
    what="Calls `torch._dynamo.mark_dynamic(x, 0)` before each call, for the varying dimensions only.",
    why="By default PyTorch compiles for the first size, and for all sizes only when a second one arrives; with "
    "`dynamic=False`, never. Marked, the first compilation covers all sizes, and the other dimensions stay "
    "known.",
    beware="Sizes 0 and 1 still compile separately. If the body requires a specific size (a branch on "
    "`x.shape[0] == 4`, a `reshape` to numbers) it raises a `ConstraintViolationError`; `maybe_mark_dynamic` "
    "does not.",
    propose=propose,
    fits_calls=True,
    examples=(_IN_A_LOOP,),
)
