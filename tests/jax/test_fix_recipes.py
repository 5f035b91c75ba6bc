"""The recipes for JAX: their examples come out to the letter, and are proved; what must not be changed is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.jax.repaired_in_process import case_of, first_written, prove, run
from traceonce.fix.candidate import Declined, Example, Recipe
from traceonce.fix.proposals import consider
from traceonce.fix.recipes import leave_it, library_report
from traceonce.fix.signatures.buckets import pad, varying_places
from traceonce.frameworks.jax.recipes import pad_to_bucket, uniform_structure
from traceonce.frameworks.jax.recipes.kit import KIT
from traceonce.frameworks.jax.words import COMPILES_PER_SIZE, MASK_AXIS
from traceonce.words.notes import english_note, say_reasons

EXAMPLES = [(recipe, example) for recipe in KIT.recipes for example in recipe.examples]
SHARED = (leave_it.RECIPE, library_report.RECIPE)
FOLLOWED = [(recipe, example) for recipe in KIT.advice if recipe not in SHARED for example in recipe.examples]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(jax: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def named(pair: Any) -> str:
    return str(getattr(pair, "name", None) or getattr(pair, "title", pair))


@pytest.mark.parametrize(("recipe", "example"), EXAMPLES, ids=named)
def test_an_example_comes_out_to_the_letter_and_is_proved(recipe: Recipe, example: Example, tmp_path: Path) -> None:
    before = run(example.program, tmp_path)
    case = case_of(before, example.function)
    assert case.diagnosis.traces == example.traces_before
    candidate, repaired = first_written(list(recipe.propose(case)), example.program)
    assert repaired == example.repaired
    of_all = [each for each in consider(case).candidates if each.change is not None]
    assert first_written(of_all, example.program)[0].recipe == recipe.name
    proof = prove(case, before, repaired, tmp_path, untraced=candidate.untraced)
    assert (proof.verdict, proof.reason) == ("proved", None)
    assert proof.after.traces == example.traces_after
    assert candidate.predicted_traces in (example.traces_after, None)


@pytest.mark.parametrize(("recipe", "example"), FOLLOWED, ids=named)
def test_an_example_of_advice_says_what_it_would_leave(recipe: Recipe, example: Example, tmp_path: Path) -> None:
    case = case_of(run(example.program, tmp_path), example.function)
    assert case.diagnosis.traces == example.traces_before
    (advice,) = recipe.propose(case)
    assert advice.change is None
    assert (advice.snippet, advice.predicted_traces) == (example.advice, example.traces_after)


PADDED = """\
import jax
import jax.numpy as jnp


{helper}

@jax.jit
def mean(x, mask):
    return jnp.mean(x, where=mask)


for length in (3, 5, 6, 7, 4, 8):
    x = jnp.arange(float(length))
    x, mask = padded(x, axis=0)
    print(round(float(mean(x, mask)), 4))
"""


def test_padding_as_advised_gives_the_same_with_as_many_compilations_as_said(tmp_path: Path) -> None:
    recipe = pad_to_bucket.RECIPE
    (example,) = recipe.examples
    before = run(example.program, tmp_path)
    (advice,) = recipe.propose(case_of(before, "mean"))
    assert advice.snippet is not None
    helper = advice.snippet.partition("\nx, mask =")[0]
    after = run(PADDED.format(helper=helper), tmp_path)
    assert after.printed == before.printed
    assert case_of(after, "mean").diagnosis.traces == advice.predicted_traces == 2


STACKED = """\
import jax
import jax.numpy as jnp


{helper}

@jax.jit
def average(losses, mask):
    return jnp.sum(losses, axis=0, where=mask) / mask.sum()


losses_so_far = []
for step in range(7):
    losses_so_far.append(jnp.sqrt(jnp.float32(step)))
    losses = losses_so_far
    losses, mask = stacked(losses)
    print(step, round(float(average(losses, mask=mask)), 4))
"""


def test_structures_made_uniform_as_advised_give_the_same_with_as_many_traces_as_said(tmp_path: Path) -> None:
    listed, keyed = uniform_structure.RECIPE.examples
    before = run(listed.program, tmp_path)
    (advice,) = uniform_structure.RECIPE.propose(case_of(before, "average"))
    after = run(STACKED.format(helper=uniform_structure.HELPER), tmp_path)
    assert after.printed == before.printed
    assert case_of(after, "average").diagnosis.traces == advice.predicted_traces
    before = run(keyed.program, tmp_path)
    (advice,) = uniform_structure.RECIPE.propose(case_of(before, "loss"))
    fill = (advice.snippet or "").partition("\n")[0]
    after = run(keyed.program.replace("    print(turn, loss", f"    {fill}\n    print(turn, loss"), tmp_path)
    assert after.printed == before.printed
    assert case_of(after, "loss").diagnosis.traces == advice.predicted_traces == 1


SEVERAL = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(state, ids, labels):
    return state + ids.sum() + labels.sum()


for rows, length in ((4, 4), (4, 5), (4, 6), (3, 5)):
    step(0.0, jnp.ones((rows, length)), jnp.ones(rows))
"""


def test_every_padded_axis_has_a_mask_and_what_was_traced_before_does_not_count(tmp_path: Path) -> None:
    case = case_of(run(SEVERAL, tmp_path), "step")
    known = tuple(event.signature for event in case.events)
    padded = tuple(pad(signature, varying_places(known)) for signature in known)
    events = tuple(msgspec.structs.replace(event, earlier=padded) for event in case.events)
    for each in (case, case._replace(events=events)):
        (advice,) = pad_to_bucket.RECIPE.propose(each)
        assert advice.predicted_traces == 2  # (4, 4) and (4, 8)
        assert COMPILES_PER_SIZE(left=2, before=4) in advice.notes
        assert MASK_AXIS(axis=0, path="labels", mask="labels_mask") in advice.notes
        *_, first, second, third, call = (advice.snippet or "").splitlines()
        assert first == "ids, ids_mask_0 = padded(ids, axis=0)"
        assert second == "ids, ids_mask_1 = padded(ids, axis=1)"
        assert third == "labels, labels_mask = padded(labels, axis=0)"
        masks = "ids_mask_0=ids_mask_0, ids_mask_1=ids_mask_1, labels_mask=labels_mask"
        assert call.startswith(f"step(state, ids, labels, {masks})")


def refused(source: str, function: str, folder: Path) -> list[str]:
    """Why nothing was changed: what was written and not proved, what declined, what is said in advice instead."""
    before = run(source, folder)
    case = case_of(before, function)
    proposals = consider(case)
    reasons = [say_reasons(why, "en") for why in proposals.declined.values()]
    for candidate in proposals.candidates:
        if candidate.change is None:
            reasons.append(english_note(candidate.notes) or "")
            continue
        (folder / "program.py").write_text(source)
        try:
            _, repaired = first_written([candidate], source)
        except Declined as why:
            reasons.append(str(why))
            continue
        proof = prove(case, before, repaired, folder)
        assert proof.verdict != "proved", repaired
        reasons.append(proof.reason or "")
    return reasons


SHAPE = """\
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("n",))
def ramp(x, n):
    return x * jnp.arange(n).sum()


for n in range(2, 8):
    print(ramp(2.0, n))
"""
BRANCH = SHAPE.replace("x * jnp.arange(n).sum()", "x * n if isinstance(n, int) else -x")
LOOP = """\
import jax
import jax.numpy as jnp

for epoch in range(4):

    @jax.jit
    def step(x):
        return x + jnp.ones(epoch).sum()

    print(step(jnp.ones(2)))
"""
NARROW = """\
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, rate):
    return x * rate


x = jnp.ones(4, jnp.bfloat16)
for rate in (0.5, jnp.float32(0.25), 0.75, jnp.float32(1.5)):
    print(scaled(x, rate).dtype)
"""
SLOTS = """\
import functools

import jax
import jax.numpy as jnp


class Config:
    __slots__ = ("depth",)

    def __init__(self, depth):
        self.depth = depth


@functools.partial(jax.jit, static_argnames=("config",))
def apply(x, config):
    return x * config.depth


for depth in (1, 1, 1, 1):
    print(apply(jnp.ones(2), Config(depth)))
"""
ARRAY = """\
import jax
import jax.numpy as jnp


@jax.jit
def first(x):
    return x[: int(x.sum())]


print(first(jnp.ones(3)))
"""


@pytest.mark.parametrize(
    ("source", "function", "reason"),
    [
        pytest.param(SHAPE, "ramp", "ConcretizationTypeError", id="a number that decides a shape stays static"),
        pytest.param(BRANCH, "ramp", "→", id="a number whose type is asked for stays static"),
        pytest.param(LOOP, "step", "epoch", id="a function that makes a shape of the variable of its loop stays there"),
        pytest.param(NARROW, "scaled", "dtype", id="a weak type that keeps results narrow stays weak"),
        pytest.param(SLOTS, "apply", "__slots__", id="a class with slots is left to its author"),
        pytest.param(ARRAY, "first", "cannot be static", id="an array is not made static"),
    ],
)
def test_what_must_not_be_changed_is_refused_with_a_reason(
    source: str, function: str, reason: str, tmp_path: Path
) -> None:
    said = refused(source, function, tmp_path)
    assert any(reason in text for text in said), said
