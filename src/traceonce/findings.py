"""From a recording to all that there is to say of it: diagnoses, fixes, and the records that explain them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from traceonce.diagnosis import Explained, diagnose, diagnose_with_events, explain_events
from traceonce.facts import Cause, Diagnosis, Recording, Repair, Verdict
from traceonce.facts.error_text import main_line
from traceonce.facts.quantities import count_of
from traceonce.fix.suggesting import suggest
from traceonce.guard.message import describe_breach
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.explaining import Met, explain_record
from traceonce.knowledge.language import LANGUAGES, Language
from traceonce.knowledge.linking import link_records, records_of
from traceonce.knowledge.matching import Index, Summary, scan
from traceonce.knowledge.record import Record
from traceonce.report.base import Material, find_form
from traceonce.report.text import needing_attention
from traceonce.report.wording import describe_cause, describe_place, describe_values, in_calls


def explain_run(recording: Recording, index: Index) -> tuple[list[Met], list[str]]:
    """What was found, and what no record knows, in the order of the report."""
    found: dict[tuple[str, str | None], Met] = {}
    unknown: list[str] = []

    def take(items: list[Met], otherwise: str | None) -> None:
        for item in items:
            found.setdefault((item.record.id, item.functions[0] if item.functions else None), item)
        if not items and otherwise is not None:
            unknown.append(otherwise)

    for breach in {breach.function.key: breach for breach in recording.breaches}.values():
        take(_matching(describe_breach(breach), breach.function.name, index), f"{breach.function.name} at its limit")
    diagnoses = diagnose(recording)
    acute = needing_attention(recording, diagnoses)
    raised = _errors(recording)
    for diagnosis in diagnoses:
        if diagnosis.verdict is Verdict.OK:
            continue
        name, ignorable = diagnosis.function.name, diagnosis not in acute
        linked = [
            Met(index.by_id[id_], [name], _describe(diagnosis, cause), ignorable=ignorable)
            for cause in diagnosis.causes
            for id_ in records_of(msgspec.structs.replace(diagnosis, causes=(cause,)))
            if id_ in index.by_id
        ]
        errors = raised.get(diagnosis.function.key, {})
        matched = [item for error in errors for item in _matching(error, name, index)]
        otherwise = f"{name}: {next(iter(errors), None) or _describe(diagnosis)}"
        take([*matched, *linked], None if ignorable and not errors else otherwise)
    if recording.error:
        take(_matching(recording.error, None, index, inside=False), main_line(recording.error))
    return list(found.values()), unknown


def diagnose_linked(recording: Recording) -> list[Diagnosis]:
    """The diagnoses, each with its best fix and its records.

    The records are those of its causes, and before them those of what its traces raised. What a repair of the program
    has found counts for more than what is only proposed.
    """
    return _diagnose(recording, None)


def find_out(recording: Recording, form: str = "html", language: Language = "en") -> Material:
    """All that a report in this form shows of a recording."""
    explained = explain_events(recording) if find_form(form).shows_events else None
    return make_material(recording, _diagnose(recording, explained), form, language, explained)


def make_material(
    recording: Recording,
    diagnoses: Sequence[Diagnosis],
    form: str,
    language: Language = "en",
    explained: Sequence[Explained] | None = None,
) -> Material:
    """The diagnoses, and what else a report in this form shows: the causes of each event, the records they name."""
    shows = find_form(form)
    if shows.shows_events and explained is None:
        explained = explain_events(recording)
    return Material(
        recording,
        diagnoses,
        causes=[item.causes for item in explained] if explained is not None else (),
        records=_known(diagnoses) if shows.shows_records else {},
        language=language,
    )


def _diagnose(recording: Recording, explained: Sequence[Explained] | None) -> list[Diagnosis]:
    diagnosed = diagnose_with_events(recording, explained)
    diagnoses = link_records(suggest(diagnosed, recording.environment))
    if recording.repairs:
        repairs = {(repair.backend, repair.function.key): repair for repair in recording.repairs}
        diagnoses = [_repaired(diagnosis, repairs) for diagnosis in diagnoses]
    if all(diagnosis.verdict is not Verdict.FAILED for diagnosis in diagnoses):
        return diagnoses
    index = _our_records()
    raised = _errors(recording)
    return [_with_errors(diagnosis, raised.get(diagnosis.function.key, {}), index) for diagnosis in diagnoses]


@functools.cache
def _our_records() -> Index:
    """Read once: that takes longer than most recordings."""
    return Index(Collection())


def _repaired(diagnosis: Diagnosis, repairs: Mapping[tuple[str, str], Repair]) -> Diagnosis:
    repair = repairs.get((diagnosis.backend, diagnosis.function.key))
    if repair is None:
        return diagnosis
    return msgspec.structs.replace(
        diagnosis,
        fixes=repair.fixes,
        notes=(*diagnosis.notes, *repair.notes),
        coded_notes=(*diagnosis.coded_notes, *repair.coded_notes),
    )


def _known(diagnoses: Sequence[Diagnosis]) -> dict[str, dict[str, Any]]:
    """What the records say that the diagnoses name, in every language, as plain data."""
    collection = Collection()
    named = [id_ for id_ in dict.fromkeys(id_ for d in diagnoses for id_ in d.records) if id_ in collection]
    records = {id_: collection.find(id_) for id_ in named}
    related = {way: collection.find(way) for record in records.values() for way in _ways(record) if way in collection}
    return {
        id_: {
            language: msgspec.to_builtins(
                explain_record(Met(record, [], ""), language, {**related, **records}, everything=True)
            )
            for language in LANGUAGES
        }
        for id_, record in records.items()
    }


def _ways(record: Record) -> list[str]:
    graph = record.transition_graph
    return [*graph.targets("leads_to"), *graph.targets("frequently_confused_with")]


def _with_errors(diagnosis: Diagnosis, errors: Iterable[str], index: Index) -> Diagnosis:
    matched = [met.record.id for error in errors for met in _matching(error, None, index)]
    return msgspec.structs.replace(diagnosis, records=tuple(dict.fromkeys((*matched, *diagnosis.records))))


def records_of_error(error: str) -> list[str]:
    """The records of an exception that a program did not catch; none where no record knows it."""
    return [met.record.id for met in _matching(error, None, _our_records(), inside=False)]


def _errors(recording: Recording) -> dict[str, dict[str, None]]:
    """What the failed traces of each function raised, each error once."""
    raised: dict[str, dict[str, None]] = {}
    for event in recording.events:
        if event.error:
            raised.setdefault(event.function.key, {})[event.error] = None
    return raised


def _matching(text: str, function: str | None, index: Index, *, inside: bool = True) -> list[Met]:
    """The records of an error. If it was seen `inside` the framework, contexts need no further sign."""
    answers = scan(text, index, in_context=inside)
    return [
        Met(found.record, [name] if (name := function or found.function) else [], found.matched, also=found.also)
        for found in Summary(answers).found
    ]


def _describe(diagnosis: Diagnosis, cause: Cause | None = None) -> str:
    """What the run shows, in a line."""
    calls = in_calls(diagnosis.calls, diagnosis.calls_at_least)
    parts = [f"{diagnosis.verdict.value}, {count_of(diagnosis.traces, 'trace')}{calls}"]
    if cause is not None:
        words = describe_cause(cause, diagnosis.traces, diagnosis.backend)
        parts.append(f"{cause.path}: {words} {describe_values(cause)}".rstrip())
    return " · ".join([*parts, describe_place(diagnosis.function, diagnosis.backend)])
