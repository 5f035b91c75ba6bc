"""An experiment is read, not run: its symptom, its trials, their cases, and the code that the record shows."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from traceonce.errors import RecordError
from traceonce.knowledge.experiment import Experiment
from traceonce.knowledge.symptom import Raises, Retraces

SOURCE = '''
import a_framework_that_is_not_installed as af
from traceonce.knowledge.experiment import Retraces, cases, eager

symptom = Retraces(traces=10, cause="value", path="step")

def failure():
    return [1, 2]

def helper():
    return 3

@cases("a sum", "a mean")
@eager
def workaround_tensor(case):
    """Not shown."""
    @af.function
    def train_step(x):
        return x  # as it was written

    for step in range(3):
        train_step(step)
    return [
        train_step(step)
    ]
'''


def write(folder: Path, source: str) -> Path:
    path = folder / "experiment.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return path


def test_what_it_states(tmp_path: Path) -> None:
    experiment = Experiment.read(write(tmp_path, SOURCE))
    assert experiment.symptom == Retraces(traces=10, cause="value", path="step")
    assert [(trial.name, trial.role) for trial in experiment.trials.values()] == [
        ("failure", "failure"),
        ("workaround_tensor", "workaround"),
    ]
    trial = experiment.trials["workaround_tensor"]
    assert (trial.cases, trial.eager) == (("a sum", "a mean"), True)
    assert (experiment.trials["failure"].cases, experiment.trials["failure"].eager) == ((), False)


def test_the_body_is_the_code_that_runs(tmp_path: Path) -> None:
    body = Experiment.read(write(tmp_path, SOURCE)).trials["workaround_tensor"].body
    assert body == textwrap.dedent(
        """\
        import a_framework_that_is_not_installed as af

        @af.function
        def train_step(x):
            return x  # as it was written

        for step in range(3):
            train_step(step)
        [
            train_step(step)
        ]"""
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def failure(): pass", "does not say what to look for; add: symptom ="),
        ('symptom = Raises(type="E", text="x")', "has no function failure()"),
        ("symptom = Wrong()\ndef failure(): pass", "there is no function right()"),
        ('symptom = Raises(type="E", text="x")\ndef failure(): pass', "there is no function right()"),
        ('symptom = Logs(text="x", bogus=1)', "contains unknown field `bogus`"),
        ("symptom = Odd()", "the symptom must be one of Retraces, Raises"),
        ('symptom = Raises("E", "x")', "with named arguments"),
        ('symptom = Raises(type="E")', "symptom: Object missing required field `text`"),
        ('symptom = Raises(type=E, text="x")', "E is not a plain value; write it out"),
        ("symptom = Wrong(\n", "is not Python"),
        ("symptom = Wrong()\n@slow\ndef failure(): pass", "failure is decorated with slow"),
    ],
)
def test_a_message_names_file_and_remedy(tmp_path: Path, source: str, words: str) -> None:
    path = write(tmp_path, source)
    with pytest.raises(RecordError) as caught:
        Experiment.read(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_an_expression_keeps_its_backslashes(tmp_path: Path) -> None:
    source = 'symptom = Raises(type="E", text=r"\\d+")\ndef failure(): pass\ndef right(): pass'
    assert Experiment.read(write(tmp_path, source)).symptom == Raises(type="E", text=r"\d+")
