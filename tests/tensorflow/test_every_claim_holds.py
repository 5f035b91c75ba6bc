"""What the knowledge base claims of TensorFlow is run, all of it, with the installed version: the evidence holds."""

from __future__ import annotations

import os
import sys

import pytest

from traceonce.commands.knowledge.claims import measure
from traceonce.knowledge.claims import load_claims, load_programs
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.harvest import messages
from traceonce.knowledge.trial_runner import LIMIT, TrialRequest
from traceonce.knowledge.verify import Measured, Task, differences, refuted, run_tasks, subject_of
from traceonce.trials.interpreters import start_trials

JOBS = min(os.cpu_count() or 1, 4)


def test_every_record_in_a_run_of_all_its_trials() -> None:
    collection = Collection()
    names = [name for name in collection.paths if name.startswith("tensorflow/")]
    subjects = {name: subject_of(collection, name) for name in names}
    tasks = [task for subject in subjects.values() for task in subject.tasks(1, LIMIT)]
    measured = {name: Measured(subject, []) for name, subject in subjects.items()}
    for task, seen in run_tasks(tasks, lambda: start_trials(sys.executable, "tensorflow"), JOBS):
        measured[task.record].measurements.append((task, seen))
    assert len(measured) >= 32
    assert [problem for one in measured.values() for problem in refuted(one)] == []
    assert [problem for one in measured.values() for problem in differences(one)] == []


def test_what_people_say_in_a_run_of_all_programs() -> None:
    claims = load_claims()
    assert measure(claims, load_programs(), sys.executable, JOBS) == claims


@pytest.mark.parametrize("name", ["retracing-shape", "symbolic-tensor-as-bool"])
def test_a_claim_that_is_false_is_refuted(name: str) -> None:
    """The test above can fail: with the trials of the failure in place of those of the workarounds, it does."""
    subject = subject_of(Collection(), name)
    failing = TrialRequest(str(subject.experiment.path), "failure")
    tasks = [Task(task.record, task.trial, task.case, failing) for task in subject.tasks(1, LIMIT)]
    measured = Measured(subject, list(run_tasks(tasks, lambda: start_trials(sys.executable, "tensorflow"), 1)))
    workarounds = {claim.experiment for claim in subject.record.workarounds}
    assert {problem.claim for problem in refuted(measured)} >= workarounds
    assert {problem.claim for problem in differences(measured)} >= workarounds
    assert all(list(messages(seen)) for _, seen in measured.of("failure"))
