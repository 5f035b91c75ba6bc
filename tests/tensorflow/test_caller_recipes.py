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
