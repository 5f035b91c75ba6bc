"""A repair that leaves dimensions open, along with the functions in which a trace under it has failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from traceonce.fix.candidate import Candidate, Change, Declined, together
from traceonce.fix.case import Case
from traceonce.fix.source.definitions import find_definition
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Function, Module
from traceonce.frameworks.tensorflow.dynamic_shapes.called_functions import Called, find_called
from traceonce.frameworks.tensorflow.dynamic_shapes.edit import write_plan
from traceonce.frameworks.tensorflow.dynamic_shapes.plan import Plan, plan_sizes
from traceonce.frameworks.tensorflow.dynamic_shapes.plan_called import plan_called_sizes
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import OpenShapes, Reach
from traceonce.frameworks.tensorflow.recipes import dynamic_shape, input_signature, reduce_retracing
from traceonce.frameworks.tensorflow.recipes.dtypes import float_dtype
from traceonce.frameworks.tensorflow.recipes.input_signature import Signing
from traceonce.frameworks.tensorflow.words import (
    CALLEES_READ_NO_OPEN_SIZE,
    SIZES_READ_AT_RUN_TIME,
    SIZES_READ_AT_RUN_TIME_ALSO_IN,
)
from traceonce.words.notes import join_notes

_OPENING = {input_signature.NAME, reduce_retracing.NAME}


def opens_dimensions(candidate: Candidate) -> bool:
    return candidate.change is not None and bool(_OPENING & set(candidate.recipe.split("+")))


def along(case: Case, candidate: Candidate, functions: Sequence[Called], reach: Reach) -> Candidate | None:
    """The candidate with sizes read at run time in these functions as well; None where it leaves no dimension open."""
    change = candidate.change
    if change is None or not opens_dimensions(candidate):
        return None
    varying = reduce_retracing.varying_shapes(case.signatures)
    open_shapes = change.cover.open_shapes if isinstance(change, Signing) else varying
    if not open_shapes:
        return None
    own = dynamic_shape.NAME not in candidate.recipe.split("+")
    further = ReadingSizes(case, open_shapes, tuple(functions), reach, own)
    said = SIZES_READ_AT_RUN_TIME_ALSO_IN(functions=[called.short_name for called in functions])
    others = [note for note in candidate.notes if note.code != SIZES_READ_AT_RUN_TIME.code]
    return dataclasses.replace(
        candidate,
        recipe=f"{candidate.recipe}+{dynamic_shape.NAME}" if own else candidate.recipe,
        safety="review",
        change=_beside(change, further),
        notes=join_notes(others, [said]),
    )


def _beside(change: Change, further: Change) -> Change:
    if isinstance(change, Signing):  # stays one, so that a wider signature can be offered
        return dataclasses.replace(change, beside=(*change.beside, further))
    return together(change, further)


@dataclass(frozen=True)
class ReadingSizes:
    """Reads sizes at run time in functions that are called; `own`: in the traced function, too."""

    case: Case
    open_shapes: OpenShapes
    functions: tuple[Called, ...]
    reach: Reach
    own: bool

    def __call__(self, edits: Edits) -> None:
        module, definition = find_definition(self.case.diagnosis.function, edits)
        plans = self._plans(edits, definition)
        if not any(plan for _, plan in plans):
            raise Declined(CALLEES_READ_NO_OPEN_SIZE())
        if self.own:
            plans.append((module, plan_sizes(module, definition, self.open_shapes, self.reach)))
        floating = float_dtype(self.case.signatures)
        for changed, plan in plans:
            write_plan(edits, changed, plan, floating)

    def _plans(self, edits: Edits, own: Function) -> list[tuple[Module, Plan]]:
        """What is to be done in each. A function inside another one of them, or the traced one, is a part of that."""
        found = []
        for called in self.functions:
            module = edits.module(called.file)
            definition = find_called(module, called)
            if definition is not None:
                found.append((module, definition))
        around = {own, *(definition for _, definition in found)}
        return [
            (module, plan_called_sizes(module, definition, self.open_shapes, self.reach))
            for module, definition in found
            if definition is not own and around.isdisjoint(module.ancestors(definition))
        ]
