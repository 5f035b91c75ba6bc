"""What the recipes hoist, stable_home, tracing_type and state write is run: it traces as often as they said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tensorflow.edited import Seen, first_written, run, write
from traceonce.fix.candidate import Declined, Example, Recipe
from traceonce.frameworks.tensorflow.recipes import hoist, stable_home, state, tracing_type

RECIPES = [hoist.RECIPE, stable_home.RECIPE, tracing_type.RECIPE, state.RECIPE]
EXAMPLES = [(recipe, example) for recipe in RECIPES for example in recipe.examples]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def short(function: str) -> str:
    return function.rpartition(".")[2]


@pytest.mark.parametrize(("recipe", "example"), EXAMPLES, ids=[example.title for _, example in EXAMPLES])
def test_examples(tf: Any, eagerly: Any, folder: Path, recipe: Recipe, example: Example) -> None:
    before = run(example.program, folder)
    function = short(example.function)
    assert before.traces(function) == example.traces_before
    candidate, repaired = first_written(recipe.propose, before.case(function), example.program)
    assert repaired == example.repaired
    after = run(repaired, folder)
    assert after.traces(function) == example.traces_after
    assert candidate.predicted_traces in (example.traces_after, None)
    right = eagerly(example.program, folder).printed if recipe is state.RECIPE else before.printed
    assert after.printed == right
    assert right.strip()


def repaired_by(recipe: Recipe, program: str, function: str, folder: Path) -> tuple[str, Seen, Seen]:
    before = run(program, folder)
    _, source = first_written(recipe.propose, before.case(function), program)
    return source, before, run(source, folder)


def test_an_object_that_tracks_its_attributes_keeps_the_function(tf: Any, folder: Path) -> None:
    """tf.Module and Keras layers look at everything that is assigned to them."""
    for base in ("tf.Module", "tf.keras.Model"):
        program = f"""\
import tensorflow as tf


class Trainer({base}):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)

    def body(self, x):
        return self.total.assign_add(x)

    def run(self, x):
        return tf.function(self.body)(x)


trainer = Trainer()
for _ in range(3):
    print(float(trainer.run(tf.constant(1.0))), len(trainer.trainable_variables))
"""
        _, before, after = repaired_by(hoist.RECIPE, program, "body", folder)
        assert (before.traces("body"), after.traces("body")) == (3, 1)
        assert after.printed == before.printed


def test_a_function_whose_name_is_taken_keeps_it_all_the_same(tf: Any, folder: Path) -> None:
    program = """\
import tensorflow as tf

step = 10.0


def train(x):
    @tf.function
    def step(x, times=1):
        return x if times == 0 else step(x, times - 1) * 2.0

    return step(x)


for _ in range(3):
    print(float(train(tf.constant(step))))
"""
    source, before, after = repaired_by(hoist.RECIPE, program, "step", folder)
    assert "traced_step = make_step()" in source
    assert after.printed == before.printed
    assert after.traces("step") == 2  # with times=1 and inside it with times=0


def test_two_partials_and_two_lambdas_each_have_a_home(tf: Any, folder: Path) -> None:
    program = """\
import functools
import tensorflow as tf


def power(x, n):
    return x**n


def scale(x, k):
    return x * k


@tf.function
def evaluate(function, x):
    return function(x)


def evaluate_all(x):
    print(float(evaluate(functools.partial(power, n=2.0), x)), float(evaluate(lambda v: v - 1.0, x)))
    print(float(evaluate(functools.partial(scale, k=0.5), x)))
    print(float(evaluate(lambda v: v + 1.0, x)))


for value in (1.0, 2.0, 3.0):
    evaluate_all(tf.constant(value))
"""
    _, before, after = repaired_by(stable_home.RECIPE, program, "evaluate", folder)
    assert before.traces("evaluate") == 12
    assert after.traces("evaluate") == 4
    assert after.printed == before.printed
    assert {each.predicted_traces for each in stable_home.RECIPE.propose(before.case("evaluate"))} == {None}
    one_of_each = "\n".join(line for line in program.splitlines() if "lambda" not in line)
    _, before, after = repaired_by(stable_home.RECIPE, one_of_each, "evaluate", folder)
    assert after.printed == before.printed
    assert {each.predicted_traces for each in stable_home.RECIPE.propose(before.case("evaluate"))} == {1}


@pytest.mark.parametrize("kept", [True, False])
def test_temporaries_nested_changed_and_given_by_keyword(tf: Any, folder: Path, kept: bool) -> None:
    """The first object may be gone, and one that lives may have changed: its contents decide."""
    program = f"""\
import tensorflow as tf


class Config:
    def __init__(self, k, name=("a", 1)):
        self.k = k
        self.name = name


@tf.function
def step(x, *, batch):
    k = batch["config"].k
    return x / k if isinstance(k, float) else x // k


kept = []
for k in (2, 2.0, True, 2, 2.0, 1, 1.0):
    config = Config(k)
    if {kept}:
        kept.append(config)
    print(k, float(step(tf.constant(7.0), batch={{"config": config}})))
config.k = 4.0
print(float(step(tf.constant(7.0), batch={{"config": config}})))
"""
    _, before, after = repaired_by(tracing_type.RECIPE, program, "step", folder)
    assert before.traces("step") >= 7
    assert after.traces("step") == 6  # 2, 2.0, True, 1, 1.0, 4.0
    assert after.printed.splitlines() == [
        "2 3.0", "2.0 3.5", "True 7.0", "2 3.0", "2.0 3.5", "1 7.0", "1.0 7.0", "1.75"
    ]  # fmt: skip


def test_a_variable_where_an_argument_does_not_reach(tf: Any, eagerly: Any, folder: Path) -> None:
    program = """\
import tensorflow as tf

SCALE = 3
OFFSET = 0.5


def scaled(x):
    return x * SCALE


@tf.function
def step(x):
    return scaled(x) + OFFSET


def change():
    global SCALE, OFFSET
    SCALE += 2
    OFFSET *= 4


for _ in range(3):
    print(float(step(tf.constant(2.0))))
    change()
"""
    before = run(program, folder)
    case = before.case("step")
    right = eagerly(program, folder).printed
    assert before.printed != right
    outcomes = []
    for candidate in state.RECIPE.propose(case):
        try:
            after = run(write(case, candidate, program), folder)
        except Declined:
            continue
        except (TypeError, ValueError, tf.errors.InvalidArgumentError):
            outcomes.append("fails")  # int32 times float32: the next one has another dtype
            continue
        outcomes.append((after.printed == right, after.traces("step") == candidate.predicted_traces))
    assert outcomes[:2] == ["fails", (True, True)]


@pytest.mark.parametrize("mode", ["a text", "a flag", "a tensor"])
def test_what_can_only_be_an_argument(tf: Any, eagerly: Any, folder: Path, mode: str) -> None:
    first, second, use = {
        "a text": ("'sum'", "'mean'", "getattr(tf, 'reduce_' + MODE)(x)"),
        "a flag": ("True", "False", "tf.reduce_sum(x) if MODE is True else tf.reduce_mean(x)"),
        "a tensor": ("tf.constant([1.0, 2.0])", "tf.constant([3.0, 5.0])", "tf.reduce_sum(x * MODE)"),
    }[mode]
    program = f"""\
import tensorflow as tf


def main():
    mode = {first}
    other = {second}

    @tf.function
    def step(x):
        return {use.replace("MODE", "mode")}

    print(float(step(tf.constant([2.0, 4.0]))))
    mode = other
    print(float(step(tf.constant([2.0, 4.0]))))


main()
"""
    before = run(program, folder)
    right = eagerly(program, folder).printed
    candidates = list(state.RECIPE.propose(before.case("step")))
    last = write(before.case("step"), candidates[-1], program)
    after = run(last, folder)
    assert before.printed != right == after.printed
    assert after.traces("step") == (1 if mode == "a tensor" else 2)
