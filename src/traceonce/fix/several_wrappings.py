"""A function that is wrapped at several places: what is written where it is wrapped, is written at each of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from traceonce.fix.candidate import Candidate, Change, Declined, Recipe
from traceonce.fix.case import Case
from traceonce.words.notes.declined import SEVERAL_WRAPPINGS

if TYPE_CHECKING:  # a report names candidates without ever looking at the source
    from traceonce.fix.source.edits import Edits

MOST_PLACES = 8


def offers_at_each(recipe: Recipe, case: Case) -> Iterator[Candidate]:
    """What a recipe offers. Where it cannot tell which place is meant, it is asked for each, and all are changed."""
    parts = _by_place(case)
    if not 1 < len(parts) <= MOST_PLACES:
        yield from recipe.propose(case)
        return
    whole = list(recipe.propose(case))
    offered = [list(recipe.propose(part)) for part in parts]
    for number, candidate in enumerate(whole):
        same = [each[number] for each in offered if len(each) == len(whole)]
        changes = [each.change for each in same if each.change is not None and each.snippet == candidate.snippet]
        if candidate.change is None or len(changes) < len(parts):
            yield candidate
        else:
            yield dataclasses.replace(candidate, change=_at_each(candidate.change, changes))


def _by_place(case: Case) -> list[Case]:
    places = {(making.file, making.line, making.span): making for making in case.makings}
    return [case._replace(makings=(making,)) for making in places.values()]


def _at_each(change: Change, changes: Sequence[Change]) -> Change:
    def write(edits: Edits) -> None:
        try:
            change(edits)
        except Declined as why:
            if not any(reason.code == SEVERAL_WRAPPINGS.code for reason in why.reasons):
                raise
            for each in changes:
                each(edits)

    return write
