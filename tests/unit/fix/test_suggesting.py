"""The best candidate in the report; and no report is lost to a problem with one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.handmade import Events, python, record, tensor
from traceonce.diagnosis import diagnose, diagnose_with_events
from traceonce.facts import Diagnosis, Recording, Verdict
from traceonce.fix import proposals
from traceonce.fix.suggestions import make_case, suggest
from traceonce.words.notes import english_note
from traceonce.words.notes.diagnoses import LOOKING_FAILED


def shapes(count: int, calls: int | None = None, **fields: Any) -> Recording:
    event = Events(**fields)
    return record(*(event(tensor("x", n), call=n) for n in range(1, count + 1)), calls=calls or count)


def suggested(recording: Recording) -> Diagnosis:
    (diagnosis,) = suggest(diagnose_with_events(recording), recording.environment)
    return diagnosis


def test_the_best_candidate_is_the_fix() -> None:
    recording = shapes(8)
    (fix,) = suggested(recording).fixes
    ((diagnosis, events),) = diagnose_with_events(recording)
    candidate = proposals.best(make_case(diagnosis, events, {}))
    assert candidate is not None
    assert (fix.recipe, fix.safety, fix.snippet, fix.note, fix.coded_notes) == (
        candidate.recipe,
        candidate.safety,
        candidate.snippet,
        english_note(candidate.notes),
        candidate.notes,
    )
    assert fix.predicted_traces == 1
    assert "tf.TensorSpec([None], tf.float32)" in (fix.snippet or "")
    assert fix.proof is None


def test_a_function_to_be_left_alone_gets_no_change() -> None:
    diagnosis = suggested(shapes(2, calls=1000))
    assert diagnosis.verdict is Verdict.BOUNDED
    assert [(fix.recipe, fix.snippet) for fix in diagnosis.fixes] == [("leave_it", None)]


@pytest.mark.parametrize("recording", [shapes(1), shapes(8, backend="another")], ids=["ok", "another framework"])
def test_nothing_is_said_where_there_is_nothing_to_say(recording: Recording) -> None:
    assert [suggested(recording)] == diagnose(recording)


def test_a_problem_of_ours_is_told_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(case: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(proposals, "best", fail)
    recording = shapes(8)
    diagnosis = suggested(recording)
    assert diagnosis.fixes == ()
    assert diagnosis.causes == diagnose(recording)[0].causes
    assert diagnosis.notes[-1] == (
        "No fix was found because traceonce itself failed: ZeroDivisionError: by zero. Please report it."
    )
    assert diagnosis.coded_notes[-1] == LOOKING_FAILED(error="ZeroDivisionError: by zero")


def test_a_wall_of_arguments_does_not_hold_up_the_report() -> None:
    """2,000 arguments that all vary: every one would be tried on every trace, which takes minutes."""
    event = Events()
    leaves = [[python(f"x{argument}", call * argument) for argument in range(2000)] for call in range(1, 5)]
    recording = record(*(event(*many, call=call) for call, many in enumerate(leaves, 1)), calls=4)
    diagnosis = suggested(recording)
    assert diagnosis.fixes == ()
    assert diagnosis.notes[-1] == "No fix was searched for: 1,999 things vary in 4 traces."


def test_compilations_are_apart_from_traces() -> None:
    traced = Events()(tensor("x", None), python("k", 1), call=1)
    compiled = Events(kind="compile", start=2000.0)(tensor("x", 3))
    ((diagnosis, events),) = diagnose_with_events(record(traced, compiled, calls=1))
    case = make_case(diagnosis, events, {"tensorflow": "2.21.0"})
    assert [event.kind for event in case.events] == ["trace"]
    assert [event.kind for event in case.compilations] == ["compile"]
