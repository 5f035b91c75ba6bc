"""A change that is tried and advice that comes to the same are known for one another, whatever they are called."""

from __future__ import annotations

import pytest

from tests.unit.fix.test_advice_recipes import case, case_of, instances, keyed, listed, parameters
from tests.unit.handmade import Events, container, record, tensor
from traceonce.facts import CallSite, FunctionId
from traceonce.fix.candidate import Candidate, Effect, Recipe
from traceonce.fix.case import Case
from traceonce.fix.proposals import consider
from traceonce.fix.recipes import library_report
from traceonce.frameworks.jax.recipes import kept_object
from traceonce.frameworks.tensorflow.recipes import (
    cast,
    fill_missing,
    input_signature,
    keep_object,
    reuse_instance,
    uniform_structure,
)
from traceonce.frameworks.torch.recipes import cast as torch_cast
from traceonce.frameworks.torch.recipes import uniform_argument

KEYS = case(*(keyed(*(("'x'", "'y'") if n % 2 else ("'x'",)), scale=n // 2) for n in range(8)))
LISTS = case(*([*listed(n)[:n], container("xs", "list", *map(str, range(n))), parameters("xs")] for n in range(2, 8)))
LIBRARY = FunctionId("Solver.update", "/venv/lib/python3.11/site-packages/solvers/base.py", 80, library=True)


def of_library(backend: str) -> Case:
    made = Events(LIBRARY, call_site=CallSite("train.py", 60, f"{LIBRARY.file}:9"), backend=backend)
    return case_of(record(*(made(tensor("x", 3), object=n, call=n + 1, fingerprint="same") for n in range(6)), calls=6))


def dtypes(backend: str) -> Case:
    kinds = ("float32", "float64", "int32")
    return case(*([tensor("x", 3, dtype=kind), parameters("x")] for kind in kinds * 2), backend=backend)


@pytest.mark.parametrize(
    ("of", "tried", "advised"),
    [
        (KEYS, fill_missing.RECIPE, uniform_structure.RECIPE),
        (LISTS, input_signature.RECIPE, uniform_structure.RECIPE),
        (instances(6), keep_object.RECIPE, reuse_instance.RECIPE),
        (of_library("tensorflow"), keep_object.RECIPE, library_report.RECIPE),
        (of_library("jax"), kept_object.RECIPE, library_report.RECIPE),
        (dtypes("torch"), torch_cast.RECIPE, uniform_argument.RECIPE),
    ],
    ids=lambda each: each.name if isinstance(each, Recipe) else "",
)
def test_advice_and_the_change_that_it_advises(of: Case, tried: Recipe, advised: Recipe) -> None:
    changes = list(tried.propose(of))
    advice = next(advised.propose(of))
    assert advice.change is None
    same = [each for each in changes if each.is_same_change(advice)]
    assert same
    assert all(each.change is not None for each in same)


def test_another_value_is_another_change() -> None:
    (advice,) = uniform_structure.RECIPE.propose(KEYS)
    filled = list(fill_missing.RECIPE.propose(KEYS))
    values = {next(iter(each.effects)).value: each.is_same_change(advice) for each in filled}
    assert not values["ones"]
    assert values["zeros"]


def test_objects_that_differ_need_more_than_to_be_kept() -> None:
    of = instances(6, note="self.rate")
    (advice,) = reuse_instance.RECIPE.propose(of)
    assert not any(each.is_same_change(advice) for each in keep_object.RECIPE.propose(of))


def test_a_combination_is_not_a_part_of_it() -> None:
    """A function that is made anew and kept, and a cast: refuted, that says nothing of the cast alone."""
    event = Events(call_site=CallSite("train.py", 47))
    calls = [(kind, n) for n, kind in enumerate(("float32", "float64") * 4)]
    of = case_of(
        record(*(event(tensor("x", 3, dtype=kind), parameters("x"), object=n, call=n + 1) for kind, n in calls))
    )
    alone = next(cast.RECIPE.propose(of))
    combined = [each for each in consider(of).candidates if each.recipe.startswith("hoist+cast")]
    assert combined
    assert all(each.effects > alone.effects for each in combined if each.effects & alone.effects)


def test_without_effects_it_is_the_recipe_and_what_it_shows() -> None:
    one = Candidate("hoist", "safe", (), snippet="f = …")
    assert one.is_same_change(Candidate("hoist", "advice", (), snippet="f = …"))
    assert not one.is_same_change(Candidate("keep", "advice", (), snippet="f = …"))
    assert not one.is_same_change(Candidate("hoist", "advice", (), snippet="g = …"))
    assert not one.is_same_change(
        Candidate("hoist", "advice", (), snippet="f = …", effects=frozenset({Effect("kept", "")}))
    )
    assert not Candidate("hoist", "safe", ()).is_same_change(Candidate("hoist", "advice", ()))
