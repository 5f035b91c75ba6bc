"""All that a report in some form shows of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.diagnosis import Explained, explain_events
from traceonce.facts import Diagnosis, Recording
from traceonce.knowledge.advice import MetRecord, explain_record
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.record import Record
from traceonce.report.base import Material, find_form
from traceonce.words.translated import LANGUAGES, Language


def find_out(recording: Recording, form: str = "html", language: Language = "en") -> Material:
    """From a recording alone to the material of a report in this form."""
    explained = explain_events(recording) if find_form(form).shows_events else None
    return make_material(recording, diagnose_linked(recording, explained), form, language, explained)


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


def _known(diagnoses: Sequence[Diagnosis]) -> dict[str, dict[str, Any]]:
    """What the records say that the diagnoses name, in every language, as plain data."""
    collection = Collection()
    named = [id_ for id_ in dict.fromkeys(id_ for d in diagnoses for id_ in d.records) if id_ in collection]
    records = {id_: collection.find(id_) for id_ in named}
    related = {way: collection.find(way) for record in records.values() for way in _ways(record) if way in collection}
    return {
        id_: {
            language: msgspec.to_builtins(
                explain_record(MetRecord(record, [], ""), language, {**related, **records}, everything=True)
            )
            for language in LANGUAGES
        }
        for id_, record in records.items()
    }


def _ways(record: Record) -> list[str]:
    graph = record.transition_graph
    return [*graph.targets("leads_to"), *graph.targets("frequently_confused_with")]
