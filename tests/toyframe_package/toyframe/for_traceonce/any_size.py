"""``@toyframe.traced`` is told to take any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toyframe.for_traceonce.notes import TOYS_TAKE_ALL
from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits


def _propose(case: Case) -> Iterator[Candidate]:
    paths = [cause.path for cause in case.diagnosis.causes if cause.code is CauseCode.SHAPE]
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
