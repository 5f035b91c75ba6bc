"""Whole searches over JAX programs: several causes, several steps, and what is right where the original is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.jax.repaired_in_process import case_of, first_written, prove, repair, run
from traceonce.frameworks.jax.recipes import hoist
from traceonce.prove.search_result import SearchResult


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(jax: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def taken(outcome: SearchResult) -> list[tuple[str, str, int, int]]:
    """The repairs that were taken: recipe, label, traces before and after."""
    fixes = [fix for function in outcome.functions for fix in function.fixes]
    assert all(fix.proof is not None and fix.proof.verdict == "proved" for fix in fixes)
    return [(f.recipe, f.safety, f.proof.before.traces, f.proof.after.traces) for f in fixes if f.proof is not None]


def written(outcome: SearchResult) -> str:
    return outcome.files["program.py"].decode()


TRAINER = """\
import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, rate):
        self.rate = rate
        self.weights = jnp.ones(3)

    def fit(self, batches):
        @jax.jit
        def step(weights, batch):
            return weights - self.rate * batch.mean(0)

        for batch in batches:
            self.weights = step(self.weights, batch)


trainer = Trainer(0.1)
for epoch in range(5):
    trainer.fit([jnp.ones((4, 3)), jnp.zeros((4, 3))])
    print(epoch, trainer.weights)
"""


def test_what_reads_its_object_is_kept_by_it(tmp_path: Path) -> None:
    outcome = repair(TRAINER, tmp_path)
    assert taken(outcome) == [("hoist", "review", 5, 1)]
    assert 'if not hasattr(self, "_traced_step"):' in written(outcome)
    assert outcome.functions[0].settled


SCHEDULE = """\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("step", "training"))
def update(w, g, step, training=True):
    lr = 0.1 * 0.9**step
    if training:
        w = w - lr * g
    return w


w = jnp.ones(4)
for step in range(8):
    w = update(w, w * 0.5, step, training=step % 2 == 0)
print(w)
"""


def test_of_two_static_arguments_the_one_that_grows_becomes_an_argument(tmp_path: Path) -> None:
    outcome = repair(SCHEDULE, tmp_path)
    assert taken(outcome) == [("array_argument", "safe", 8, 2)]
    assert written(outcome) == SCHEDULE.replace('("step", "training")', '("training",)')


MASKED = """\
import functools

import jax
import jax.numpy as jnp


def run(x):
    for step in range(6):
        f = functools.partial(jax.jit, static_argnums=1)(lambda x, step: x * step)
        x = f(x, step) + 1.0
    return x


print(run(jnp.ones(3)))
"""


def test_a_cause_behind_another_is_repaired_with_it(tmp_path: Path) -> None:
    """Made anew at every call, and given another static number each time: one repair alone leaves as many traces."""
    outcome = repair(MASKED, tmp_path)
    assert taken(outcome) == [("hoist+array_argument", "review", 6, 1)]


STALE = """\
import jax
import jax.numpy as jnp

USE_BIAS = True
BIAS = jnp.ones(2)


@jax.jit
def layer(x):
    if USE_BIAS:
        x = x + BIAS
    return x * 2


print(layer(jnp.ones(2)))
USE_BIAS = False
print(layer(jnp.ones(2)))
USE_BIAS = True
BIAS = jnp.full(2, 5.0)
print(layer(jnp.ones(2)))
"""


def test_a_stale_flag_becomes_static_a_stale_array_an_argument(tmp_path: Path) -> None:
    """What follows is measured by what is right, no longer by the original: with three traces it is not done, yet."""
    outcome = repair(STALE, tmp_path)
    assert taken(outcome) == [("state", "review", 1, 3), ("typed_argument", "review", 3, 2)]
    static = '@functools.partial(jax.jit, static_argnames=("use_bias",))\ndef layer(x, use_bias, bias):'
    assert static in written(outcome)
    assert outcome.last.run.printed.split("\n")[1:3] == ["[2. 2.]", "[12. 12.]"]
    assert all(fix.proof is not None and fix.proof.measure == "eager" for fix in outcome.functions[0].fixes)


CAUGHT = """\
import jax
import jax.numpy as jnp


@jax.jit
def ramp(x, n):
    return x * jnp.arange(n).sum()


for n in (3, 4):
    try:
        print(ramp(2.0, n))
    except jax.errors.ConcretizationTypeError:
        print("no")
"""
ALWAYS = """\
import jax


@jax.jit
def ramp(x, n):
    return x * [1.0, 2.0][n + 5]


print(ramp(2.0, 3))
"""


def test_a_failure_is_left_alone_where_no_run_shows_what_is_right(tmp_path: Path) -> None:
    outcome = repair(ALWAYS, tmp_path)
    assert outcome.files == {}
    assert taken(outcome) == []


def test_a_failure_that_the_program_catches_is_repaired_as_well(tmp_path: Path) -> None:
    """The eager run shows what the call would give; what the program does instead is a way out, and no result."""
    outcome = repair(CAUGHT, tmp_path)
    ((recipe, safety, *_),) = taken(outcome)
    assert (recipe, safety) == ("static_argument", "review")
    assert outcome.last.run.printed == "6.0\n12.0\n"


UNSEEN = """\
import jax
import jax.numpy as jnp

total = 0.0
for k in range(6):

    @jax.jit
    def loss(w):
        return w * w * 2.0

    total += jax.grad(loss)(3.0)
{printing}"""


@pytest.mark.parametrize(("printing", "verdict"), [("", "not_proved"), ("print(total)\n", "proved")])
def test_calls_inside_a_transformation_prove_nothing_unless_something_else_shows(
    printing: str, verdict: str, tmp_path: Path
) -> None:
    source = UNSEEN.format(printing=printing)
    before = run(source, tmp_path)
    assert before.replay is not None
    assert before.replay.returned == ()
    case = case_of(before, "loss")
    _, repaired = first_written(list(hoist.RECIPE.propose(case)), source)
    assert prove(case, before, repaired, tmp_path).verdict == verdict


FILTER = """\
import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, gain, size):
        self.gain = gain
        self.noise = 0.1 * jnp.eye(size)
        self.size = size
        self.predict = jax.jit(self._predict)
        self.update = jax.jit(self._update)

    def _predict(self, x):
        return x * self.gain

    def _update(self, x):
        return (jnp.eye(self.size) - self.noise) @ x


for track in range(4):
    tracker = Filter(1.0 + track, 2)
    print(tracker.update(tracker.predict(jnp.ones(2))))
"""


def test_a_class_becomes_a_pytree_once_for_all_its_methods(tmp_path: Path) -> None:
    outcome = repair(FILTER, tmp_path)
    assert taken(outcome) == [("pytree", "review", 4, 1)] * 2
    after = written(outcome)
    assert after.count("def tree_flatten") == after.count("register_pytree_node_class") == 1
    assert "return (self.gain, self.noise), (self.size,)" in after


FITTER = """\
import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, rate):
        self.rate = rate

    def loss(self, w, x):
        return jnp.sum((w * x - self.rate) ** 2)

    def fit(self, x):
        @jax.jit
        def step(w):
            return w - self.rate * jax.grad(self.loss)(w, x)

        return step(step(jnp.zeros(3)))


learner = Trainer(0.1)
for fold in range(4):
    print(learner.fit(jnp.arange(3.0) + fold))
    learner.rate = learner.rate / 2
"""


def test_a_function_that_needs_the_object_of_its_method_is_given_it(tmp_path: Path) -> None:
    outcome = repair(FITTER, tmp_path)
    assert taken(outcome) == [("captured_argument", "review", 4, 1)]
    assert "step(step(jnp.zeros(3), x=x, trainer=self), x=x, trainer=self)" in written(outcome)


EFFECTS = """\
import jax
import jax.numpy as jnp

seen = []


def simulate(x, rate):
    def body(x, _):
        return x - rate * x, None

    seen.append(rate)
    return jax.lax.scan(body, x, None, length=5)[0]


for turn in range(5):
    simulate(jnp.ones(2), 0.1 * turn)
"""


def test_a_caller_that_changes_what_is_outside_of_it_is_not_compiled(tmp_path: Path) -> None:
    outcome = repair(EFFECTS, tmp_path)
    assert outcome.files == {}
    (function,) = outcome.functions
    assert any("would do so only once" in attempt.reason for attempt in function.attempts)
