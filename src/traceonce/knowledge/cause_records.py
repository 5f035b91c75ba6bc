"""From a diagnosis to its records: what is known about each of its causes. Only records that are there are named."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import msgspec

from traceonce.facts import Diagnosis
from traceonce.frameworks.base.registry import framework_of
from traceonce.knowledge.collection import Collection


def link_records(diagnoses: Iterable[Diagnosis]) -> list[Diagnosis]:
    """The diagnoses, each with the ids of the records that explain it, in the order of its causes."""
    return [msgspec.structs.replace(diagnosis, records=tuple(records_of(diagnosis))) for diagnosis in diagnoses]


def records_of(diagnosis: Diagnosis) -> list[str]:
    record_of = framework_of(diagnosis.backend).record
    slugs = [slug for cause in diagnosis.causes if (slug := record_of(cause, diagnosis))]
    slugs += ["graph-break"] if diagnosis.graph_breaks else []
    return [id_ for slug in dict.fromkeys(slugs) if (id_ := f"{diagnosis.backend}/{slug}") in _there()]


@cache
def _there() -> frozenset[str]:
    """The ids of all records. No file is ever looked for by a name that a recording gives."""
    return frozenset(Collection().paths)
