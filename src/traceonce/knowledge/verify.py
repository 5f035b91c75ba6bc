"""Run what records claim, and turn the measurements into evidence."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple, TypeVar

from traceonce.errors import RecordError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.evidence import by_version, derive, speaks_against
from traceonce.knowledge.experiment import Experiment, Trial
from traceonce.knowledge.harvest import harvest
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.record import DeadEnd, Evidence, Record, Workaround
from traceonce.knowledge.trial_judgement import Judgement, judge
from traceonce.knowledge.trial_runner import TrialProcess, TrialRequest

C = TypeVar("C", Workaround, DeadEnd)
CLAIMS = ("workaround", "dead_end")


class Task(NamedTuple):
    """One run of one trial of a record."""

    record: str
    trial: Trial
    case: str | None
    request: TrialRequest


class Subject(NamedTuple):
    """A record to be verified, and the experiment that does it."""

    record: Record
    experiment: Experiment

    def tasks(self, runs: int, limit: float) -> list[Task]:
        return [
            Task(self.record.id, trial, case, TrialRequest(str(self.experiment.path), trial.name, case, limit))
            for trial in self.experiment.trials.values()
            if trial.role != "message"
            for case in trial.cases or (None,)
            for _ in range(1 if trial.role == "right" else runs)
        ]


def subject_of(collection: Collection, id: str) -> Subject:
    """A record and its experiment, which must have a trial for every claim, and no other."""
    record = collection.find(id)
    path = collection.paths[collection.complete_id(id)]
    if record.id not in collection or collection.paths[record.id] != path:
        raise RecordError(f"{path}: id: is {record.id!r}; it must be {path.parent.name}/{path.stem}, or the file move.")
    experiment = collection.experiment_of(record)
    for place, claim in record.claims:
        if claim.experiment not in experiment.trials:
            raise RecordError(
                f"{path}: {place}.experiment: there is no function {claim.experiment!r} in "
                f"{experiment.path}; name one, or write it."
            )
    claimed = {claim.experiment for _, claim in record.claims}
    unclaimed = {name for name, trial in experiment.trials.items() if trial.role in CLAIMS and name not in claimed}
    if unclaimed:
        raise RecordError(f"{experiment.path}: no claim of {record.id} names {', '.join(sorted(unclaimed))}; add one.")
    return Subject(record, experiment)


def run_tasks(
    tasks: Sequence[Task], start: Callable[[], TrialProcess], jobs: int
) -> Iterator[tuple[Task, TrialMeasurement]]:
    """Run the tasks, several at a time, and hand them out in their order: what is said of a claim depends on it."""
    idle: SimpleQueue[TrialProcess] = SimpleQueue()
    started: list[TrialProcess] = []
    try:
        for _ in range(max(1, min(jobs, len(tasks)))):
            started.append(start())
            idle.put(started[-1])

        def run(task: Task) -> TrialMeasurement:
            process = idle.get()
            try:
                return process.measure(task.request)
            finally:
                idle.put(process)

        with ThreadPoolExecutor(len(started)) as pool:
            futures = {pool.submit(run, task): task for task in tasks}
            try:
                for future, task in futures.items():
                    yield task, future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in started:  # else whoever interrupts waits for the trials that are running
                    process.close()
                raise
    finally:
        for process in started:
            process.close()


class Measured(NamedTuple):
    """All that was measured for one record with one version."""

    subject: Subject
    measurements: list[tuple[Task, TrialMeasurement]]

    @property
    def framework(self) -> TrialMeasurement:
        return self.measurements[0][1]

    def of(self, name: str) -> list[tuple[Task, TrialMeasurement]]:
        """The runs of one trial, their outputs compared with the right ones."""
        return [
            (task, seen.compared_with(self._right(task.case)))
            for task, seen in self.measurements
            if task.trial.name == name
        ]

    def _right(self, case: str | None) -> object:
        """The right outputs in this case: those of `right`, else of the failure."""
        for wanted in ("right", "failure"):
            for task, seen in self.measurements:
                it = task.trial.name == wanted and task.case in (case, None)
                if it and seen.error is None and not seen.broken:
                    return seen.outputs
        return None


def evidence_for(measured: Measured, trial: Trial) -> Evidence:
    """What the runs of one trial say of its claim."""
    runs = measured.of(trial.name)
    judged = [(task, seen, judge(trial, measured.subject.experiment.symptom, seen)) for task, seen in runs]
    failures = [seen for _, seen in measured.of("failure")]
    _, seen, verdict = _typical(judged)
    by_case = {task.case: judgement.held for task, _, judgement in judged if task.case is not None}
    return Evidence(
        experiment=f"{measured.subject.experiment.path.stem}.{trial.name}",
        framework=seen.framework,
        version=seen.version,
        python=seen.python,
        date=datetime.date.today().isoformat(),
        runs=len(judged),
        held=sum(judgement.held for _, _, judgement in judged),
        outcome=verdict.outcome,
        seen={note.code: note.arguments for note in verdict.seen},
        traces_before=failures[0].traces() if trial.name != "failure" else None,
        traces_after=seen.traces(),
        outputs=seen.outputs_are,
        error=seen.error.types[0] if seen.error else None,
        seconds=round(sorted(one.seconds for _, one, _ in judged)[len(judged) // 2], 3),
        cases={str(case): held for case, held in by_case.items()},
    )


def _typical(judged: list[tuple[Task, TrialMeasurement, Judgement]]) -> tuple[Task, TrialMeasurement, Judgement]:
    """The run that stands for all: one that bore the claim out, unless most did not."""
    held = [run for run in judged if run[2].held]
    return held[0] if 2 * len(held) >= len(judged) and held else next(run for run in judged if not run[2].held)


def with_evidence(record: Record, measured: Measured) -> Record:
    """The record with new evidence for this version (in place of what it had), and all that follows from it."""
    experiment = measured.subject.experiment

    def renewed(kept: tuple[Evidence, ...], trial: Trial) -> tuple[Evidence, ...]:
        new = evidence_for(measured, trial)
        same = [piece for piece in kept if (piece.framework, piece.version) == (new.framework, new.version)]
        if same and same[0].runs > new.runs and _said(same[0]) == _said(new):
            return kept
        others = [piece for piece in kept if (piece.framework, piece.version) != (new.framework, new.version)]
        return tuple(sorted([*others, new], key=by_version))

    def tried(claim: C) -> C:
        trial = experiment.trials[claim.experiment or ""]
        return claim.replace(how=trial.body, evidence=renewed(claim.evidence, trial))

    evidence = renewed(record.evidence, experiment.trials["failure"])
    changed = record.replace(
        workarounds=tuple(map(tried, record.workarounds)),
        dead_ends=tuple(map(tried, record.dead_ends)),
        evidence=evidence,
        examples=harvest(record, [seen for _, seen in measured.of("failure")]) or record.examples,
        last_updated=max(piece.date for piece in evidence),
    )
    return derive(changed)


class Refuted(NamedTuple):
    """A claim that its runs speak against."""

    record: str
    claim: str
    outcome: str


def refuted(measured: Measured) -> list[Refuted]:
    """The claims that did not hold in most runs with this version."""
    found = []
    for trial in measured.subject.experiment.trials.values():
        if trial.role == "message":
            continue
        if trial.role == "right":
            broken = [seen.broken or (seen.error and seen.error.line) for _, seen in measured.of("right")]
            found += [Refuted(measured.subject.record.id, "right", str(why)) for why in broken if why]
            continue
        evidence = evidence_for(measured, trial)
        if speaks_against([evidence]):
            found.append(Refuted(measured.subject.record.id, trial.name, evidence.outcome))
    return found


def differences(measured: Measured) -> list[Refuted]:
    """Where this run disagrees with the evidence that the record has for the same version; also where it has none."""
    record, experiment = measured.subject
    claims = {"failure": record.evidence} | {claim.experiment or "": claim.evidence for _, claim in record.claims}
    found = []
    for name, kept in claims.items():
        new = evidence_for(measured, experiment.trials[name])
        old = next((piece for piece in kept if (piece.framework, piece.version) == (new.framework, new.version)), None)
        if old is None:
            found.append(Refuted(record.id, name, f"no evidence for {new.framework} {new.version}"))
        elif _said(old) != _said(new):
            found.append(Refuted(record.id, name, f"was: {old.outcome}; now: {new.outcome}"))
    return found


def _said(evidence: Evidence) -> tuple[object, ...]:
    """What has to come out the same in every run; the outcome's words may hold a measured size."""
    share = evidence.held / evidence.runs
    return share, evidence.traces_before, evidence.traces_after, evidence.outputs, evidence.error, evidence.cases
