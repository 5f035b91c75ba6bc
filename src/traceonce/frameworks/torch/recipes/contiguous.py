"""A tensor comes with its elements in one order: it is made contiguous where the function is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Cause, CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.recipes.varying_values import expect, is_argument
from traceonce.frameworks.torch.words import WRITES_GO_TO_COPY
from traceonce.words.notes.declined import NO_CALL_GIVES

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "contiguous"
_STRIDE = re.compile(r"(.+)\.stride\(\)(?:\[\d+\])?")


def propose(case: Case) -> Iterator[Candidate]:
    found = dict(_strides(case))
    if not found:
        return
    paths = list(dict.fromkeys(found.values()))

    def change(edits: Edits) -> None:
        for path in paths:
            _wrap(case, edits, path)

    snippet = ", ".join(f"{path}.contiguous()" for path in paths)
    notes = (WRITES_GO_TO_COPY(names=paths),)
    expected = expect(case, list(found))
    yield Candidate(NAME, "review", (CauseCode.GUARD,), change, None, snippet, notes, expected_traces=expected)


def _strides(case: Case) -> Iterator[tuple[Cause, str]]:
    for cause in case.diagnosis.causes:
        match = _STRIDE.fullmatch(cause.path) if cause.code is CauseCode.GUARD else None
        if match is not None and is_argument(case, match[1]):
            yield cause, match[1]


def _wrap(case: Case, edits: Edits, path: str) -> None:
    from traceonce.fix.source.passed_arguments import find_arguments, wrap_argument

    arguments = find_arguments(case, edits, path)
    if not arguments:
        raise Declined(NO_CALL_GIVES(path=path))
    for argument in arguments:
        wrap_argument(edits, argument, "value.contiguous()")


_SLICES = Example(
    title="Columns of tables of different widths",
    function="norm",
    traces_before=8,
    traces_after=1,
    program='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def norm(x):
    return (x * x).sum()


for width in range(3, 15):
    table = torch.ones(5, width)
    print(norm(table[:, :2]).item())
''',
    repaired='''\
import torch


@torch.compile(backend="eager", dynamic=False)
def norm(x):
    return (x * x).sum()


for width in range(3, 15):
    table = torch.ones(5, width)
    print(norm(table[:, :2].contiguous()).item())
''',
)  # fmt: skip

RECIPE = Recipe(
    name=NAME,
    title="Pass contiguous tensors",
    what="Calls `.contiguous()` on an argument of varying strides at the call site.",
    why="Compiled code is specialized on strides: a slice of a wider table, or a transpose, recompiles even with "
    "the same shape.",
    beware="A non-contiguous tensor is copied on each call; in-place writes inside the function no longer reach "
    "the original.",
    propose=propose,
    examples=(_SLICES,),
)
