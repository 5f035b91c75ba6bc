"""Messages that real runs gave, and the record that each belongs to. Made by running every experiment.

The record's own expression has no say in what counts as its message:

1.  of an experiment whose symptom is an error: the error, and the whole traceback, of every run that raised it;
2.  of one whose symptom is a line in the log: every entry of the log that has the symptom in it;
3.  of any other: the blocks of our report, and the lines of our log of retraces, about functions for which the observer
    itself names this record and no other. The line of a block that names the record is taken out. And what JAX and
    PyTorch themselves explain in the log of a function that they had seen before, where they are asked to;
4.  of a failure that our observer does not tell from others: what the run raised (memory that grows), or else what it
    printed (Python code that ran once).

A line that is cut, or taken alone, counts if the symptom is still in it, and if the record needs no context.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.experiment import Experiment, Grows, Logs, Raises, Wrong
from traceonce.knowledge.harvest import log_entries, report_blocks
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import TrialRequest
from traceonce.knowledge.verify import Task, run_tasks
from traceonce.trials.interpreters import start_trials

MESSAGES = Path(__file__).parent / "messages.jsonl"
LONGEST = 6_000  # characters of a message that is kept
SHORT = 150  # of a line that was cut
GENERATED = re.compile(r"[^\s\"']*__autograph_generated_file\w*\.py")  # in a folder of the machine, with a random name
EXPLAINED = re.compile(
    r"TRACING CACHE MISS.*(?: and before |but seen another function)|Recompiling function .*triggered by", re.S
)
LINES = 2  # of our log of retraces, for each run
AT_THE_END = (
    "retracing-growing-decode",
    "retracing-partial-batch",
)  # seen over a whole run, not in a line about a retrace


class Message(msgspec.Struct, frozen=True):
    """A message and where it comes from. `key` is the line that has the symptom in it, `short` its first characters."""

    record: str
    version: str
    trial: str
    kind: str  # error · traceback · log · report · retrace
    text: str
    key: str = ""
    short: str = ""


def load() -> list[Message]:
    return [msgspec.json.decode(line, type=Message) for line in MESSAGES.read_bytes().splitlines()]


def save(messages: list[Message]) -> None:
    MESSAGES.write_bytes(b"".join(msgspec.json.encode(message) + b"\n" for message in messages))


def harvest(python: str, domain: str) -> list[Message]:
    """Run the failure and the messages of every experiment with this framework, of this interpreter."""
    collection = Collection()
    records = [record for record in collection if record.domain == domain]
    experiments = {record.id: collection.experiment_of(record) for record in records}
    alone = {record.id: record.context is None for record in records}
    tasks = [
        Task(id_, trial, case, TrialRequest(str(experiment.path), trial.name, case, 60))
        for id_, experiment in experiments.items()
        for trial in experiment.trials.values()
        if trial.role in ("failure", "message")
        for case in trial.cases or (None,)
    ]
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="0", PYTHONPATH=str(Path(__file__).parent.parent / "src"))
    found: list[Message] = []
    for task, seen in run_tasks(tasks, lambda: start_trials(python, domain), 1):
        if seen.broken:
            print(f"{task.record} {task.trial.name}: {seen.broken}")
        trial = f"{task.trial.name}[{task.case}]" if task.case else task.trial.name
        for kind, text in messages_of(seen, experiments[task.record], task.record):
            text = GENERATED.sub("__autograph_generated_file.py", text)
            if len(text) <= LONGEST:
                symptom = getattr(experiments[task.record].symptom, "text", "") if alone[task.record] else ""
                found.append(Message(task.record, seen.version, trial, kind, text, *key_lines(text, symptom)))
    unique = {(message.record, message.version, message.text): message for message in found}
    return sorted(unique.values(), key=lambda message: (message.record, message.version, message.trial, message.kind))


def key_lines(text: str, symptom: str) -> tuple[str, str]:
    """The last line with the symptom in it, and its first characters if that is still so for them."""
    lines = [line.strip() for line in reversed(text.splitlines()) if symptom and re.search(symptom, line)]
    if not lines:
        return "", ""
    short = lines[0][:SHORT]
    return lines[0], short if len(lines[0]) > SHORT and re.search(symptom, short) else ""


def messages_of(seen: TrialMeasurement, experiment: Experiment, record: str) -> Iterator[tuple[str, str]]:
    symptom = experiment.symptom
    if isinstance(symptom, Raises):
        if seen.error is not None and symptom.shown(seen):
            yield from errors_of(seen)
    elif isinstance(symptom, Logs):
        for entry in log_entries(seen.log):
            if re.search(symptom.text, entry):
                yield "log", entry
    elif isinstance(symptom, (Grows, Wrong)) and not any(record in function.records for function in seen.functions):
        if seen.error is not None:
            yield from errors_of(seen)
        elif isinstance(symptom, Wrong) and seen.log.strip():
            yield "log", seen.log.strip()
    else:
        names = {function.name for function in seen.functions if function.records == (record,)}
        for block in report_blocks(seen.report):
            if block.partition("  ")[0].strip() in names:
                yield "report", without_name(block)
        for entry in log_entries(seen.log):
            if EXPLAINED.search(entry):
                yield "log", entry
        about = [] if record.endswith(AT_THE_END) else seen.retraces_logged[:LINES]
        for line in about:
            if re.split(" retraced| recompiled", line.split(":", 2)[-1])[0] in names:
                yield "retrace", line


def errors_of(seen: TrialMeasurement) -> Iterator[tuple[str, str]]:
    assert seen.error is not None
    yield "error", seen.error.line.strip()
    yield "traceback", seen.error.traceback.strip()


def without_name(block: str) -> str:
    """A block of our report without the line that names its record."""
    return "\n".join(line for line in block.splitlines() if "traceonce explain " not in line)
