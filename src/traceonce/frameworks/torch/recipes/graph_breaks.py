"""A function that was cut into several graphs: advice, with the places at which it was cut."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.torch.words import CUT_INTO_GRAPHS, MOVE_BREAKS_OUT


def propose(case: Case) -> Iterator[Candidate]:
    breaks = list(dict.fromkeys(case.diagnosis.graph_breaks))
    if not breaks or case.diagnosis.function.library or case.diagnosis.verdict.is_ignorable:
        return
    notes = (CUT_INTO_GRAPHS(breaks=breaks), MOVE_BREAKS_OUT())
    yield Candidate("graph_breaks", "advice", (), None, None, "@torch.compile(fullgraph=True)", notes)


RECIPE = Recipe(
    name="graph_breaks",
    title="Remove graph breaks",
    what="Lists the places where PyTorch breaks the graph.",
    why="Where PyTorch cannot trace (a print, `.item()`, a branch on a tensor) it ends the graph, runs the line "
    "in Python and compiles the rest as another function with its own guards. Each part can recompile.",
    beware="With `fullgraph=True`, a function that cannot be a single graph raises instead of running.",
    propose=propose,
    examples=(
        Example(
            title="A print in the middle, and lists of varying length",
            function="total",
            traces_before=8,
            program='''\
import torch


@torch.compile(backend="eager")
def total(parts):
    print(len(parts))
    return sum(part.sum() for part in parts)


for number in range(1, 13):
    print(total([torch.ones(3)] * number).item())
''',
            advice="@torch.compile(fullgraph=True)",
        ),
    ),
)  # fmt: skip
