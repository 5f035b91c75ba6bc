"""Lists of varying length: advice, since what stands for one tensor of all of them is for the author to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.wording import enumerate_values

_LENGTH = re.compile(r"len\((.+)\)")


def propose(case: Case) -> Iterator[Candidate]:
    for cause in case.diagnosis.causes:
        match = _LENGTH.fullmatch(cause.path) if cause.code is CauseCode.STRUCTURE else None
        if match is not None and not case.diagnosis.function.library:
            lengths = enumerate_values(cause.values or (cause.was, cause.now))
            note = (
                f"a list is compiled for by its length ({lengths}), `dynamic=True` or not: give one tensor instead, "
                f"or always as many, as `{match[1]}` is unrolled into the graph"
            )
            yield Candidate(
                "list_length", "advice", (CauseCode.STRUCTURE,), None, None, f"torch.stack({match[1]})", note
            )


RECIPE = Recipe(
    name="list_length",
    title="One tensor in the place of a list",
    what="Gives the tensors of a list as one, stacked, where they are of one shape; else always as many of them.",
    why="Compiled code is made for the length of each list: every new one is compiled for, to the limit of 8. Neither "
    "`dynamic=True` nor `dynamic_sources` changes that. The first dimension of a tensor can be left open.",
    beware="Only tensors of one shape can be stacked; others must be padded, and the rest must be ignored.",
    propose=propose,
    examples=(
        Example(
            title="As many tensors as come",
            function="total",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager")
def total(parts):
    return sum(part.sum() for part in parts)


for number in range(1, 13):
    print(total([torch.ones(3)] * number).item())
''',
            advice="torch.stack(parts)",
        ),
    ),
)  # fmt: skip
