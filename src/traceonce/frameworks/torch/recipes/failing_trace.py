"""A function that must be one graph, and cannot be, is compiled in parts: `fullgraph=True` is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.facts import Verdict
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.words import CUT_WHERE_IT_CANNOT, NOT_FULLGRAPH

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "failing_trace"
_OPTION = "fullgraph"


def propose(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.verdict is not Verdict.FAILED or case.diagnosis.function.library:
        return
    if not any("Unsupported" in (event.error or "") for event in case.events):
        return

    def change(edits: Edits) -> None:
        from traceonce.fix.source.compile_sites import find_creation, has_option, set_option

        creation = find_creation(case, edits)
        if not has_option(creation, _OPTION):
            raise Declined(NOT_FULLGRAPH())
        set_option(edits, creation, _OPTION, "False")

    yield Candidate(NAME, "review", (), change, None, "@torch.compile(fullgraph=False)", (CUT_WHERE_IT_CANNOT(),))


_PROGRAM = """\
import torch


@torch.compile(backend="eager", fullgraph={fullgraph})
def clipped(x):
    norm = x.norm()
    if norm > 3.0:
        return x / norm * 3.0
    return x


for number in range(6):
    print(clipped(torch.ones(4) * number).tolist())
"""

RECIPE = Recipe(
    name=NAME,
    title="Allow graph breaks",
    what="Removes `fullgraph=True` where tracing the function raises and an eager run does not.",
    why="With `fullgraph=True`, anything that PyTorch cannot trace is an error: a branch on a tensor, `.tolist()`, an "
    "unknown call. Without it, PyTorch breaks the graph there.",
    beware="The code at a graph break runs as Python on every call. If speed depends on a single graph, use "
    "`torch.where` or `torch.cond` instead.",
    propose=propose,
    repairs_failures=True,
    examples=(
        Example(
            title="A branch on a tensor",
            function="clipped",
            traces_before=0,
            traces_after=1,
            program=_PROGRAM.format(fullgraph="True"),
            repaired=_PROGRAM.format(fullgraph="False"),
        ),
    ),
)
