"""The records that know an error, and what a run shows in their words."""

from __future__ import annotations

import functools

import msgspec

from traceonce.diagnosis import diagnose
from traceonce.facts import Cause, Diagnosis, Recording, Verdict
from traceonce.facts.attention import sort_by_attention
from traceonce.facts.error_text import main_line
from traceonce.facts.quantities import count_of
from traceonce.knowledge.advice import MetRecord
from traceonce.knowledge.cause_records import records_of
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Failures, Index, scan
from traceonce.limits.message import describe_breach
from traceonce.report.sentences import describe_cause, describe_place, describe_values, in_calls


@functools.cache
def our_records() -> Index:
    """Read once: that takes longer than most recordings."""
    return Index(Collection())


def records_of_error(error: str) -> list[str]:
    """The records of an exception that a program did not catch; none where no record knows it."""
    return [met.record.id for met in match_error(error, None, our_records(), inside=False)]


def errors_of(recording: Recording) -> dict[str, dict[str, None]]:
    """What the failed traces of each function raised, each error once."""
    raised: dict[str, dict[str, None]] = {}
    for event in recording.events:
        if event.error:
            raised.setdefault(event.function.key, {})[event.error] = None
    return raised


def match_error(text: str, function: str | None, index: Index, *, inside: bool = True) -> list[MetRecord]:
    """The records of an error. If it was seen `inside` the framework, contexts need no further sign."""
    answers = scan(text, index, in_context=inside)
    return [
        MetRecord(found.record, [name] if (name := function or found.function) else [], found.matched, also=found.also)
        for found in Failures(answers).found
    ]


def explain_run(recording: Recording, index: Index) -> tuple[list[MetRecord], list[str]]:
    """What was found, and what no record knows, in the order of the report."""
    found: dict[tuple[str, str | None], MetRecord] = {}
    unknown: list[str] = []

    def take(items: list[MetRecord], otherwise: str | None) -> None:
        for item in items:
            found.setdefault((item.record.id, item.functions[0] if item.functions else None), item)
        if not items and otherwise is not None:
            unknown.append(otherwise)

    for breach in {breach.function.key: breach for breach in recording.breaches}.values():
        take(match_error(describe_breach(breach), breach.function.name, index), f"{breach.function.name} at its limit")
    diagnoses = diagnose(recording)
    named = {(diagnosis.backend, diagnosis.function.key) for diagnosis in sort_by_attention(recording, diagnoses).named}
    raised = errors_of(recording)
    for diagnosis in diagnoses:
        if diagnosis.verdict is Verdict.OK:
            continue
        name = diagnosis.function.name
        ignorable = (diagnosis.backend, diagnosis.function.key) not in named
        linked = [
            MetRecord(index.by_id[id_], [name], _describe(diagnosis, cause), ignorable=ignorable)
            for cause in diagnosis.causes
            for id_ in records_of(msgspec.structs.replace(diagnosis, causes=(cause,)))
            if id_ in index.by_id
        ]
        errors = raised.get(diagnosis.function.key, {})
        matched = [item for error in errors for item in match_error(error, name, index)]
        otherwise = f"{name}: {next(iter(errors), None) or _describe(diagnosis)}"
        take([*matched, *linked], None if ignorable and not errors else otherwise)
    if recording.error:
        take(match_error(recording.error, None, index, inside=False), main_line(recording.error))
    return list(found.values()), unknown


def _describe(diagnosis: Diagnosis, cause: Cause | None = None) -> str:
    """What the run shows, in a line."""
    calls = in_calls(diagnosis.calls, diagnosis.calls_at_least)
    parts = [f"{diagnosis.verdict.value}, {count_of(diagnosis.traces, 'trace')}{calls}"]
    if cause is not None:
        words = describe_cause(cause, diagnosis.traces, diagnosis.backend)
        parts.append(f"{cause.path}: {words} {describe_values(cause)}".rstrip())
    return " · ".join([*parts, describe_place(diagnosis.function, diagnosis.backend)])
