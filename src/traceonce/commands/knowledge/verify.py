"""``traceonce knowledge verify``: run what records claim, and write the evidence."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click

from traceonce.console.message_line import say
from traceonce.console.shared_options import against_option, base_option, jobs_option
from traceonce.console.trial_progress import named, run_with_progress
from traceonce.errors import RecordError, UsageError
from traceonce.facts.quantities import count_of
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.local_base import open_base
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import LIMIT
from traceonce.knowledge.verify import (
    Measured,
    Refuted,
    Subject,
    Task,
    differences,
    refuted,
    subject_of,
    with_evidence,
)
from traceonce.trials.interpreters import describe_missing, interpreters, start_trials


@click.command(short_help="Run what records claim, and write the evidence.")
@click.argument("ids", nargs=-1)
@against_option
@click.option("--runs", type=click.IntRange(1, 100), default=1, show_default=True, help="Runs per trial.")
@jobs_option
@click.option("--time-limit", type=click.FloatRange(1.0), default=LIMIT, show_default=True, help="Seconds per trial.")
@base_option
@click.option("--check", is_flag=True, help="Write nothing; fail if a run differs from the recorded evidence.")
def command(
    ids: tuple[str, ...],
    against: str | None,
    runs: int,
    jobs: int,
    time_limit: float,
    base: Path | None,
    check: bool,
) -> None:
    """Run the experiments of records (all, or the named ones) and save the results as their evidence.

    Every trial runs in its own process and folder, with a time limit. Refuted claims are listed. Evidence from more
    runs with the same version is kept if the new runs agree with it.

    Exit status: 0 if every claim held, 1 if one was refuted (with --check: if a result differs), 2 if records could not
    run because their framework is not installed.

    \b
    traceonce knowledge verify retracing-shape
    traceonce knowledge verify --against NAME==VERSION,NAME==VERSION --runs 3
    """
    collection = open_base(base)
    wanted = dict.fromkeys(map(collection.complete_id, ids or collection.paths))
    subjects = [subject_of(collection, name) for name in wanted]
    if not subjects:
        raise UsageError(f"{collection.folder}: has no records; put some into records/<domain>/.")
    if not check:
        _check_writable(collection, subjects)
    by_framework: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        by_framework[subject.record.domain].append(subject)
    problems: list[Refuted] = []
    missing: list[str] = []
    for framework, python in interpreters(against, list(by_framework), named=bool(ids), tell=say):
        if python is None:
            missing.append(framework)
            continue
        for measured in _measure(by_framework[framework], python, framework, runs, jobs, time_limit):
            problems += (differences(measured) if check else []) + refuted(measured)
            if not check:
                _save(measured, collection)
    if len(missing) < len(by_framework):
        _tell(problems, "checked" if check else f"written to {collection.folder / 'records'}")
    for framework in missing:
        say(f"traceonce: {describe_missing(framework)}")
    if problems or missing:
        raise SystemExit(1 if problems else 2)


def _check_writable(collection: Collection, subjects: Sequence[Subject]) -> None:
    """Before a long run, not after it."""
    for subject in subjects:
        path = collection.paths[subject.record.id]
        if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
            raise RecordError(f"{path}: not writable; use --check, or a copy of the base with --base.")


def _measure(
    subjects: Sequence[Subject], python: str, framework: str, runs: int, jobs: int, limit: float
) -> list[Measured]:
    """Run all trials of these records with the framework of this interpreter."""
    tasks = [task for subject in subjects for task in subject.tasks(runs, limit)]
    found: dict[str, list[tuple[Task, TrialMeasurement]]] = defaultdict(list)
    for task, seen in run_with_progress(tasks, lambda: start_trials(python, framework), jobs, framework):
        found[task.record].append((task, seen))
    name = named(next(iter(found.values()))[0][1])
    say(f"{name}: {count_of(len(tasks), 'run')} for {count_of(len(subjects), 'record')}", err=False)
    return [Measured(subject, found[subject.record.id]) for subject in subjects]


def _save(measured: Measured, collection: Collection) -> None:
    """Into the record as the file has it now: another version may have been written meanwhile."""
    name = measured.subject.record.id
    with_evidence(collection.find(name), measured).save(collection.paths[name])


def _tell(problems: Sequence[Refuted], done: str) -> None:
    for problem in problems:
        say(f"  {problem.record}  {problem.claim}: {problem.outcome}", err=False)
    told = {problem[:2] for problem in problems}
    say(
        f"{count_of(len(told), 'claim')} did not hold; {done}." if problems else f"Every claim held; {done}.", err=False
    )
