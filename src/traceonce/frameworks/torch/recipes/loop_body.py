"""A loop whose number of turns varies: advice, since what one turn is given and gives back is for the author to say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import reasons
from traceonce.frameworks.torch.words import LOOP_IS_UNROLLED

# PyTorch says where a guard comes from: ``steps == 2  # for _ in range(steps):  # project/train.py:6 in iterate``.
_LOOP = re.compile(r"  # ((?:async )?for .+):\s*(?:#.*)?  # \S*?([\w.]+:\d+) in \w+$")


def propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.function.library or diagnosis.verdict.is_ignorable:
        return
    loops = dict.fromkeys(match.groups() for reason in reasons(case) if (match := _LOOP.search(reason)) is not None)
    if not loops:
        return
    places = [place for _, place in loops]
    codes = tuple(sorted({cause.code for cause in diagnosis.causes}))
    yield Candidate(
        "loop_body", "advice", codes, None, None, _snippet(next(iter(loops))[0]), (LOOP_IS_UNROLLED(places=places),)
    )


def _snippet(loop: str) -> str:
    return f"""\
@torch.compile
def one_turn(state, …):  # the body of the loop; what it changes is given and returned
    …
    return state

{loop}:  # in a function that is not compiled
    state = one_turn(state, …)"""


RECIPE = Recipe(
    name="loop_body",
    title="Compile the body of the loop",
    what="Names the loop whose number of iterations varies, and shows how to compile one iteration instead of "
    "the whole loop.",
    why="A loop over a number or a list is unrolled: the graph contains every iteration, and each new number of "
    "iterations recompiles, up to the limit of 8. `dynamic=True` does not change that, and with a tensor as "
    "the number the function runs as plain Python.",
    beware="Python runs between iterations, so the compiler cannot fuse them. A loop counter passed to the body "
    "becomes dynamic once it has changed; under `dynamic=False`, pass it as a tensor.",
    propose=propose,
    examples=(
        Example(
            title="A number of steps chosen by the caller",
            function="iterate",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager")
def iterate(x, steps):
    for _ in range(steps):
        x = torch.cos(x)
    return x


for steps in range(1, 13):
    print(iterate(torch.ones(3), steps).tolist())
''',
            advice=_snippet("for _ in range(steps)"),
        ),
    ),
)  # fmt: skip
