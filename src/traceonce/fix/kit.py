"""The repairs of one framework, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from traceonce.facts import Cause, Diagnosis
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.fix.follow_up import MakeFollowUps
from traceonce.frameworks.base.registry import framework_of


def _nothing(case: Case) -> Iterator[Candidate]:
    return iter(())


def _none(diagnosis: Diagnosis) -> list[Cause]:
    return []


@dataclass(frozen=True)
class Kit:
    """`recipes` change the source; `along` only come with another one; `advice` is never written.

    `of_libraries`: what a library wrote, and the program itself wraps (``compile(Sequential(…))``), can be changed
    where it is wrapped and called. `replayed`: the framework's cache is known so well that traces can be counted by
    replaying signatures; else they are as many as were seen. `advise_caller` says what the caller of a library's
    function can do with the arguments; `caller_causes` are those that come from the caller alone. `follow_ups` extends
    a repair under which a trace has failed.
    """

    recipes: tuple[Recipe, ...] = ()
    callers: tuple[Recipe, ...] = ()
    along: tuple[Recipe, ...] = ()
    advice: tuple[Recipe, ...] = ()
    of_libraries: bool = False
    replayed: bool = True
    advise_caller: Callable[[Case], Iterator[Candidate]] = _nothing
    caller_causes: Callable[[Diagnosis], list[Cause]] = _none
    follow_ups: MakeFollowUps | None = None

    @property
    def written(self) -> tuple[Recipe, ...]:
        """All that change the source, each once."""
        return tuple({recipe.name: recipe for recipe in (*self.recipes, *self.callers, *self.along)}.values())

    @property
    def repairs_failures(self) -> bool:
        return any(recipe.repairs_failures for recipe in self.recipes)

    def named(self, combined: str) -> list[Recipe]:
        """The recipes of a candidate: ``hoist+cast`` is two."""
        known = {each.name: each for each in (*self.written, *self.advice)}
        return [known[name] for name in combined.split("+") if name in known]


def has_kit(backend: str) -> bool:
    """Are there repairs for this framework? Without loading them."""
    return framework_of(backend).kit is not None


def kit_of(backend: str) -> Kit:
    """The repairs of a framework; an empty kit where it has none."""
    load = framework_of(backend).kit
    return load() if load is not None else Kit()
