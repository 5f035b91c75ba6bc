"""What is repaired on the caller's side, and traces that fail: the examples of their recipes are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tensorflow.edited import run, write
from traceonce.fix.candidate import Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.tensorflow.recipes import (
    compile_caller,
    failing_trace,
    keep_object,
    padded_call,
    pass_captured,
    renew_model,
    state_outside,
)

EXAMPLES = [
    (recipe, example)
    for recipe in (
        compile_caller.RECIPE,
        keep_object.RECIPE,
        renew_model.RECIPE,
        failing_trace.RECIPE,
        state_outside.RECIPE,
        pass_captured.RECIPE,
        padded_call.RECIPE,
    )
    for example in recipe.examples
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def programs(recipe: Recipe, case: Case, source: str) -> list[str]:
    """The program with each candidate that can be written."""
    found = []
    for candidate in recipe.propose(case):
        try:
            found.append(write(case, candidate, source))
        except Declined:
            continue
    return found


@pytest.mark.parametrize(("recipe", "example"), EXAMPLES, ids=[example.title for _, example in EXAMPLES])
def test_examples(tf: Any, eagerly: Any, folder: Path, recipe: Recipe, example: Example) -> None:
    fails = recipe is failing_trace.RECIPE
    before = run(example.program, folder, fails=fails)
    function = example.function.rpartition(".")[2]
    assert before.traces(function) == example.traces_before
    repaired = programs(recipe, before.case(function), example.program)
    assert example.repaired in repaired
    assert example.repaired is not None
    after = run(example.repaired, folder)
    assert sum(diagnosis.traces for diagnosis in after.diagnoses) == example.traces_after
    wrong = recipe in (failing_trace.RECIPE, state_outside.RECIPE, pass_captured.RECIPE)
    right = eagerly(example.program, folder) if wrong else before
    assert after.printed == right.printed
    assert right.printed.strip()


STAGES = """\
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
x = np.linspace(-1.0, 1.0, 8, dtype="float32")[:, None]
for stage in range(6):
    optimizer = tf.keras.optimizers.Adam(0.1 / (stage + 1))
    model.compile(optimizer, loss="mae" if stage > 3 else "mse")
    print(stage, np.round(model.train_on_batch(x, x * 3), 4))
    model.layers[0].trainable = stage < 1
"""


def test_what_is_compiled_otherwise_is_traced_again(tf: Any, folder: Path) -> None:
    """A layer that is frozen, and another loss."""
    before = run(STAGES, folder)
    assert before.traces("one_step_on_data") == 6
    (repaired,) = programs(renew_model.RECIPE, before.case("one_step_on_data"), STAGES)
    assert "_compile_anew(model, optimizer, loss=" in repaired
    after = run(repaired, folder)
    assert after.printed == before.printed
    assert after.traces("one_step_on_data") == 3
