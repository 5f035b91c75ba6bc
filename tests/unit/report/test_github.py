"""Annotations as GitHub reads them: the level, the place, and a text in which nothing is taken for a command."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.handmade import STEP, Events, cause, python, record, tensor
from traceonce.diagnosis import diagnose
from traceonce.facts import Breach, CallSite, Diagnosis, FunctionId, Limit, Recording
from traceonce.report.base import FORMATS, Material, find_renderer
from traceonce.report.github import command, render_github

KERAS = "/venv/lib/python3.11/site-packages/keras/trainer.py"


def retracing(function: FunctionId = STEP) -> Recording:
    event = Events(function, call_site=CallSite("train.py", 47))
    return record(*(event(tensor("x", 2, 3 + n), call=n + 1) for n in range(8)), calls=8)


def annotate(recording: Recording, accepted: bool | None = None) -> str:
    diagnoses: list[Diagnosis] = [msgspec.structs.replace(d, accepted=accepted) for d in diagnose(recording)]
    return render_github(Material(recording, diagnoses))


@pytest.mark.parametrize(("accepted", "level"), [(None, "warning"), (False, "error"), (True, "notice")])
def test_the_level_says_what_the_baseline_says(accepted: bool | None, level: str) -> None:
    line = annotate(retracing(), accepted)
    title = "title=traceonce%3A train_step is retracing"
    assert line.startswith(f"::{level} file=train.py,line=22,{title}::train_step  retraced 7 times in 8 calls")
    assert line.count("\n") == 1
    assert "%0A  x.shape[1]   grows by 1 each time   3, 4, 5" in line


def test_a_function_of_a_library_is_annotated_at_the_users_line() -> None:
    line = annotate(retracing(FunctionId("Trainer.step", KERAS, 80, library=True)))
    assert line.startswith("::warning file=train.py,line=47,")


def test_what_can_be_ignored_is_not_annotated() -> None:
    event = Events()
    bounded = record(event(python("training", True), call=1), event(python("training", False), call=2), calls=500)
    assert [d.verdict.value for d in diagnose(bounded)] == ["bounded"]
    assert annotate(bounded) == ""


def test_a_limit_is_annotated_once_a_function_at_the_call() -> None:
    breach = Breach("tensorflow", STEP, Limit(3), 3, 4, (cause(was="5", now="6"),), CallSite("train.py", 47))
    text = annotate(Recording(breaches=(breach, breach)))
    assert text == (
        "::error file=train.py,line=47,title=traceonce%3A train_step has reached its tracing limit::"
        "train_step has a limit of 3 retraces; one more trace was needed.%0Ax.shape[0]: now 6, before 5\n"
    )


def test_nothing_in_a_name_or_a_text_is_taken_for_a_command() -> None:
    line = command("warning", "100 %\r\n::error::no", file="a,b:c%.py", line=None, title="x\ny")
    assert line == "::warning file=a%2Cb%3Ac%25.py,title=x\\ny::100 %25%0A\\x3a:error::no"


def test_it_is_one_of_the_formats() -> None:
    assert "github" in FORMATS
    assert find_renderer("github") is render_github
