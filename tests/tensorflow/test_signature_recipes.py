"""What the recipes around signatures write is run: it prints the same and is traced as often as they said."""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import traceonce
from tests.tensorflow.replayed import replay
from traceonce.diagnosis import diagnose_with_events
from traceonce.facts import Verdict
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.proposals import propose
from traceonce.fix.source.edits import Edits
from traceonce.fix.suggestions import make_case
from traceonce.frameworks.tensorflow.recipes import (
    as_tensor,
    cast,
    dynamic_shape,
    fill_missing,
    input_signature,
    reduce_retracing,
    tensor_argument,
)

RECIPES = [
    recipe.RECIPE
    for recipe in (input_signature, dynamic_shape, reduce_retracing, tensor_argument, cast, as_tensor, fill_missing)
]
EXAMPLES = [(recipe, example) for recipe in RECIPES for example in recipe.examples]
PROGRAM = "program.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tf: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Seen(NamedTuple):
    """A run: what was printed (or the error), the function, and how often it was traced."""

    printed: str
    case: Case | None

    @property
    def traces(self) -> int | None:
        return self.case.diagnosis.traces if self.case is not None else None


def run(source: str, function: str) -> Seen:
    """Run a program in this process, and look at one of its functions."""
    Path(PROGRAM).write_text(source)
    printed = io.StringIO()
    with replay() as replaying, traceonce.watch() as watched, contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(PROGRAM, run_name="__main__")
        except Exception as error:
            printed.write(f"raised {type(error).__name__}: {error}")
    seen = replaying.result()
    for diagnosis, events in diagnose_with_events(watched.recording):
        if diagnosis.function.is_called(function):
            mine = make_case(diagnosis, events, watched.recording.environment)
            return Seen(printed.getvalue(), mine._replace(makings=seen.makings, sites=seen.sites))
    return Seen(printed.getvalue(), None)


def write(candidate: Candidate, source: str) -> str | None:
    edits = Edits({PROGRAM: source.encode()})
    assert candidate.change is not None
    try:
        candidate.change(edits)
    except Declined:
        return None
    return edits.results()[PROGRAM].decode()


def repair(source: str, function: str) -> tuple[Candidate, str, Seen]:
    """The first candidate that prints the same and needs no other, the program with it, and its run."""
    before = run(source, function)
    assert before.case is not None
    assert "raised" not in before.printed
    for candidate in propose(before.case):
        changed = write(candidate, source) if candidate.change is not None else None
        if changed is None:
            continue
        after = run(changed, function)
        settled = after.case is not None and after.case.diagnosis.verdict in (Verdict.OK, Verdict.BOUNDED)
        if settled and after.printed == before.printed:
            return candidate, changed, after
    raise AssertionError(f"nothing repairs {function}")


@pytest.mark.parametrize(("recipe", "example"), EXAMPLES, ids=[example.title for _, example in EXAMPLES])
def test_examples(recipe: Recipe, example: Example) -> None:
    assert run(example.program, example.function).traces == example.traces_before
    candidate, repaired, after = repair(example.program, example.function)
    assert repaired == example.repaired
    assert recipe.name in candidate.recipe.split("+")
    assert after.traces == example.traces_after == candidate.predicted_traces
    assert after.printed.strip()
