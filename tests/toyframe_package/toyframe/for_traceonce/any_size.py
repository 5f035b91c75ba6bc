"""``@toyframe.traced`` is told to take any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toyframe.for_traceonce.notes import TOO_LARGE_A_TOY, TOYS_TAKE_ALL
from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Recipe
from traceonce.fix.case import Case

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits


BOX = 100


def _propose(case: Case) -> Iterator[Candidate]:
    shapes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.SHAPE]
    paths = [cause.path for cause in shapes]
    largest = max((int(value) for cause in shapes for value in cause.values if value.isdigit()), default=0)
    if largest > BOX:
        raise Declined(TOO_LARGE_A_TOY(size=largest))
    if paths:
        yield Candidate(
            "any_size",
            "safe",
            (CauseCode.SHAPE,),
            lambda edits: _change(case, edits),
            1,
            '@toyframe.traced(sizes="any")',
            (TOYS_TAKE_ALL(names=paths),),
        )


def _change(case: Case, edits: Edits) -> None:
    from traceonce.fix.source.compile_sites import find_creation, set_option

    set_option(edits, find_creation(case, edits), "sizes", '"any"')


RECIPE = Recipe(
    name="any_size",
    title="Take any size",
    what='Gives `sizes="any"`.',
    why="One trace serves all sizes.",
    beware="The body knows no size.",
    propose=_propose,
)
