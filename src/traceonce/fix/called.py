"""A repair that leaves dimensions open, along with the functions in which a trace under it has failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import libcst as cst

from traceonce.facts.signature import Shape
from traceonce.fix.called_shapes import plan_called_sizes
from traceonce.fix.candidate import Candidate, Change, Declined
from traceonce.fix.case import Case
from traceonce.fix.combining import join_notes, together
from traceonce.fix.lifting import float_dtype
from traceonce.fix.recipes import dynamic_shape, reduce_retracing
from traceonce.fix.recipes.dynamic_shape import Reach
from traceonce.fix.recipes.input_signature import Signing
from traceonce.fix.reshaping import find_definition, write_plan
from traceonce.fix.shapes import Plan, plan_sizes, shape_of
from traceonce.fix.source.edits import Edits
from traceonce.fix.source.module import Module
from traceonce.fix.specs import enumerate_words

_OPENING = {"input_signature", "reduce_retracing"}
Function = cst.FunctionDef | cst.Lambda


class Called(NamedTuple):
    """A function of the project by its qualified name; `number` tells several of that name in one file apart."""

    file: str
    name: str
    number: int = 0

    @property
    def short_name(self) -> str:
        return self.name.rpartition("<locals>.")[2]


def called_at(module: Module, line: int, name: str) -> Called | None:
    """The innermost function around a line of a traceback, which calls it `name`."""
    is_lambda = name == "<lambda>"
    found = [
        node
        for node in _functions(module)
        if isinstance(node, cst.Lambda) == is_lambda
        and module.place(node).start.line <= line <= module.place(node).end.line
    ]
    if not found:
        return None
    innermost = max(found, key=lambda node: module.line(node))
    qualified = _qualified(module, innermost)
    return Called(module.file, qualified, _of_that_name(module, qualified).index(innermost))


def find_called(module: Module, called: Called) -> Function | None:
    """The same function in another state of its file."""
    named = _of_that_name(module, called.name)
    return named[called.number] if called.number < len(named) else None


def reads_a_shape(module: Module, called: Called) -> bool:
    definition = find_called(module, called)
    return definition is not None and _reads_a_shape(definition)


def _reads_a_shape(node: cst.CSTNode) -> bool:
    return shape_of(node) is not None or any(map(_reads_a_shape, node.children))


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
    names = enumerate_words([f"`{called.short_name}`" for called in functions])
    note = join_notes(candidate.note, dynamic_shape.SAID) if own else candidate.note
    return dataclasses.replace(
        candidate,
        recipe=f"{candidate.recipe}+{dynamic_shape.NAME}" if own else candidate.recipe,
        safety="review",
        change=_beside(change, further),
        note=(note or "").replace(dynamic_shape.SAID, f"{dynamic_shape.SAID}, also in {names}"),
    )


def _beside(change: Change, further: Change) -> Change:
    if isinstance(change, Signing):  # stays one, so that a wider signature can be offered
        return dataclasses.replace(change, beside=(*change.beside, further))
    return together(change, further)


@dataclass(frozen=True)
class ReadingSizes:
    """Reads sizes at run time in functions that are called; `own`: in the traced function, too."""

    case: Case
    open_shapes: Mapping[str, Shape | None]
    functions: tuple[Called, ...]
    reach: Reach
    own: bool

    def __call__(self, edits: Edits) -> None:
        module, definition = find_definition(self.case.diagnosis.function, edits)
        plans = self._plans(edits, definition)
        if not any(plan for _, plan in plans):
            raise Declined("the functions that it calls read no size that may be open")
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


def _functions(module: Module) -> list[Function]:
    found: list[Function] = [*module.nodes(cst.FunctionDef), *module.nodes(cst.Lambda)]
    return sorted(found, key=lambda node: (module.place(node).start.line, module.place(node).start.column))


def _of_that_name(module: Module, qualified: str) -> list[Function]:
    return [node for node in _functions(module) if _qualified(module, node) == qualified]


def _qualified(module: Module, function: Function) -> str:
    """The name that Python gives it."""
    parts = [_name(function)]
    for outer in module.ancestors(function):
        if isinstance(outer, cst.FunctionDef | cst.Lambda):
            parts += ["<locals>", _name(outer)]
        elif isinstance(outer, cst.ClassDef):
            parts.append(outer.name.value)
    return ".".join(reversed(parts))


def _name(function: Function) -> str:
    return function.name.value if isinstance(function, cst.FunctionDef) else "<lambda>"
