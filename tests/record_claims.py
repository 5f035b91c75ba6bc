"""What the knowledge base claims of a framework: its trials, each run in a process of its own, and its messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, match, scan
from traceonce.knowledge.trial_runner import LIMIT, TrialRequest
from traceonce.knowledge.verify import Measured, Refuted, Task, differences, refuted, run_tasks, subject_of
from traceonce.trials.interpreters import start_trials

JOBS = min(os.cpu_count() or 1, 4)


def run_all(framework: str) -> list[Measured]:
    """Every record of a framework, in one run of all its trials."""
    collection = Collection()
    names = [name for name in collection.paths if name.startswith(f"{framework}/")]
    subjects = {name: subject_of(collection, name) for name in names}
    measured = {name: Measured(subject, []) for name, subject in subjects.items()}
    tasks = [task for subject in subjects.values() for task in subject.tasks(1, LIMIT)]
    for task, seen in run_tasks(tasks, lambda: start_trials(sys.executable, framework), JOBS):
        measured[task.record].measurements.append((task, seen))
    return list(measured.values())


def problems(measured: list[Measured]) -> list[Refuted]:
    """Claims that did not hold, and evidence that is another now."""
    return [problem for one in measured for problem in (*refuted(one), *differences(one))]


def run_failing(name: str, framework: str) -> Measured:
    """A record with the trials of its failure in place of those of its workarounds: none of them can hold."""
    subject = subject_of(Collection(), name)
    path = str(subject.experiment.path)
    tasks = [
        Task(task.record, task.trial, task.case, TrialRequest(path, "failure", task.case))
        if task.trial.role == "workaround"
        else task
        for task in subject.tasks(1, LIMIT)
    ]
    return Measured(subject, list(run_tasks(tasks, lambda: start_trials(sys.executable, framework), 1)))


def workarounds(measured: Measured) -> set[str | None]:
    return {claim.experiment for claim in measured.subject.record.workarounds}


def matched(lines: str, index: Index) -> list[tuple[str, str]]:
    """What these lines match, one by one and all together."""
    texts = [*lines.splitlines(), lines]
    return [(text, hit.record.id) for text in texts for message in scan(text, index) for hit in message.hits]


def signatures_that_miss(index: Index, domain: str, language: str) -> Iterator[tuple[str, list[str]]]:
    """Records that their own signature does not find first."""
    for record in index.records:
        if record.domain == domain:
            signature = record.signature if language == "en" else record.signature_zh
            found = match(signature, index, limit=2)
            if not found or found[0].guess or found[0].record != record.id:
                yield record.id, [one.record for one in found]
