"""All that could be tried for a function, the least change first.

1. A bounded or cheap set of traces is left alone. A function of a library is not ours to change, unless it was the
   program that had it compiled (``wrapper(library.Model(…))``): what can change are the program's lines that call it.
2. A candidate must leave fewer traces than there are, by what the recorded signatures say; else it is dropped. What is
   silently wrong, or fails, need not be traced less often.
3. Recipes come in the order of the framework's kit: what changes where a function is made, then its signature,
   then its calls, then its objects; where a trace fails, those that are for failures come first. What a recipe offers
   stays in the order in which it offers it.
4. The first few candidates of every recipe come before the others of any, so that none waits for the last resort of
   another.
5. Combinations of recipes come after single ones. They are for causes that hide each other: a function that is made
   again for each call, and given another number each time, is traced as often if only one of the two is repaired.
6. Advice comes last, what leaves the fewest traces first, and a report for others at the very end; what would leave
   most of the traces is left out.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import Note, TraceEvent, Verdict
from traceonce.fix.candidate import Candidate, Declined, Effect, Recipe, Settled, together
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import join_lines
from traceonce.fix.kit import Kit, kit_of
from traceonce.fix.several_wrappings import offers_at_each
from traceonce.fix.signatures.prediction import SignatureChange, predict_traces, unchanged
from traceonce.words.notes import join_notes

FIRST = 4  # of each recipe, before the rest of all
HARDLY = 0.75  # of the traces: advice that leaves more of them is none


class Proposals(NamedTuple):
    """What could be tried, and why recipes that look right cannot be, in words for the user."""

    candidates: list[Candidate]
    declined: dict[str, tuple[Note, ...]]


def propose(case: Case) -> list[Candidate]:
    """The candidates for a function, the least change first."""
    return consider(case).candidates


def best(case: Case) -> Candidate | None:
    """The candidate that a report names: the change that a search takes if all are proved; without one, advice."""
    candidates = propose(case)
    return first_choice(candidates) or next(iter(candidates), None)


def first_choice(candidates: Sequence[Candidate]) -> Candidate | None:
    """Of those that change the source the first, unless a later one would leave fewer traces.

    Where it cannot be told what a change would leave, it is neither better nor worse than what comes before it.
    """
    chosen: Candidate | None = None
    for candidate in candidates:
        if candidate.change is not None and (chosen is None or _leaves_fewer(candidate, chosen)):
            chosen = candidate
    return chosen


def _leaves_fewer(one: Candidate, other: Candidate) -> bool:
    left, most = one.traces_to_go_by, other.traces_to_go_by
    return left is not None and most is not None and left < most


def can_change(case: Case) -> bool:
    """Is there a change that could be tried?"""
    return any(candidate.change is not None for candidate in propose(case))


def consider(case: Case) -> Proposals:
    """The same, with the reasons of the recipes that declined."""
    declined: dict[str, tuple[Note, ...]] = {}
    kit = kit_of(case.diagnosis.backend)
    advice = _sorted(candidate for recipe in kit.advice for candidate in _offers(recipe, case, declined))
    if case.diagnosis.verdict.is_ignorable:
        return Proposals([candidate for candidate in advice if candidate.recipe == "leave_it"], declined)
    library = case.diagnosis.function.library
    theirs = library and not (kit.of_libraries and case.makings)
    failed = case.diagnosis.verdict is Verdict.FAILED
    known = {recipe.name: recipe for recipe in (*(() if theirs else kit.recipes), *(kit.callers if library else ()))}
    recipes = sorted(known.values(), key=lambda recipe: failed and not recipe.repairs_failures)
    single = {recipe.name: list(_offers(recipe, case, declined)) for recipe in recipes}
    advice = _sorted([*advice, *(each for offers in single.values() for each in offers if each.change is None)])
    now = _count(case.events, kit)
    advice = [each for each in advice if each.predicted_traces is None or each.predicted_traces <= HARDLY * now]
    worthwhile = {name: [each for each in offers if _helps(each, case, now)] for name, offers in single.items()}
    combined = [] if theirs else [each for each in _combinations(case, kit, single) if _helps(each, case, now)]
    ordered = [*_in_order(worthwhile.values()), *combined]
    return Proposals([*ordered, *advice], declined)


def _sorted(advice: Iterable[Candidate]) -> list[Candidate]:
    """Advice in the order in which it is told: a last resort last, then what leaves the fewest traces first."""

    def rank(candidate: Candidate) -> tuple[bool, bool, int]:
        left = candidate.predicted_traces
        return candidate.is_last_resort, left is None, left or 0

    return sorted(advice, key=rank)


def _offers(recipe: Recipe, case: Case, declined: dict[str, tuple[Note, ...]]) -> Iterator[Candidate]:
    try:
        yield from offers_at_each(recipe, case)
    except Declined as why:
        declined[recipe.name] = why.reasons


def _count(events: Sequence[TraceEvent], kit: Kit) -> int:
    """The traces that there are."""
    if kit.replayed:
        return predict_traces(events)
    return sum(event.kind == "trace" and event.phase not in ("internal", "failed") for event in events)


def _helps(candidate: Candidate, case: Case, now: int) -> bool:
    """Would it leave fewer traces than there are `now`?"""
    if candidate.change is None:
        return False
    wrong = case.diagnosis.verdict.is_silent or case.diagnosis.verdict is Verdict.FAILED
    left = candidate.traces_to_go_by
    return wrong or left is None or left < now


def _in_order(offers: Iterable[list[Candidate]]) -> Iterator[Candidate]:
    """The first few of each, then the rest of each; of either the single recipes before their combinations."""
    listed = list(offers)
    first = [candidate for few in listed for candidate in few[:FIRST]]
    rest = [candidate for few in listed for candidate in few[FIRST:]]
    return itertools.chain(first, rest)


def _combinations(case: Case, kit: Kit, single: dict[str, list[Candidate]]) -> Iterator[Candidate]:
    """One of what keeps a function or an object, with each of what treats the arguments that are left."""
    for recipe in kit.recipes:
        if recipe.settled is None or not recipe.settled.codes & case.codes:
            continue
        settled = _as_if(case, recipe.settled)
        if settled.events == case.events:
            continue
        left = _count(settled.events, kit)
        ignored: dict[str, tuple[Note, ...]] = {}
        others = [
            each
            for other in kit.recipes
            if other.treats_arguments
            for each in list(_offers(other, settled, ignored))[:FIRST]
        ]
        offers = single[recipe.name]
        keepers = [each for each in offers if each.change is not None and each.predicted_traces in (left, None)]
        yield from (_combine(keeper, other) for keeper, other in itertools.product(keepers, others))


def _combine(keeper: Candidate, other: Candidate) -> Candidate:
    changes = [each.change for each in (keeper, other) if each.change is not None]
    return dataclasses.replace(
        other,
        recipe=f"{keeper.recipe}+{other.recipe}",
        safety="review" if keeper.safety == "review" else other.safety,
        causes=tuple(sorted({*keeper.causes, *other.causes})),
        predicted_traces=None if keeper.predicted_traces is None else other.predicted_traces,
        change=together(*changes) if len(changes) == 2 else None,
        snippet=join_lines(keeper.snippet, other.snippet),
        notes=join_notes(keeper.notes, other.notes),
        effects=other.effects | (keeper.effects or {Effect("kept", keeper.recipe)}),
    )


def _as_if(case: Case, settled: Settled) -> Case:
    """The case as it would be with that recipe applied, with the causes that were hidden behind its own."""
    objects = frozenset(cause.path for cause in case.diagnosis.causes if cause.code in settled.codes)
    change = settled.change(objects) if settled.change is not None else unchanged
    events = tuple(_changed(event, change, settled.one_function) for event in case.events)
    return case._replace(events=events)


def _changed(event: TraceEvent, change: SignatureChange, one_object: bool) -> TraceEvent:
    traced = change(event.traced) if event.traced is not None else None
    number = 0 if one_object else event.object
    return msgspec.structs.replace(event, signature=change(event.signature), traced=traced, object=number)
