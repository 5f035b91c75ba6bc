"""From what was met in a text or a run to what is explained: each record once, with all of its functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from traceonce.knowledge.advice import MetRecord

GENERIC = "retracing-warning"  # a framework's own: it names a function, but not the cause
SPECIFIC = "retracing-"  # how the names of records begin that do


class MetRecords(NamedTuple):
    """What needs an explanation, in the order in which it was met, and what our own report lets one ignore."""

    acute: list[MetRecord]
    ignorable: list[MetRecord]


def gather(met: Iterable[MetRecord]) -> MetRecords:
    remaining = _fold_warnings(list(met))
    acute = _merge(item for item in remaining if not item.ignorable)
    told = {(item.record.id, function) for item in acute for function in item.functions}
    ignorable = [
        item
        for item in remaining
        if item.ignorable and not any((item.record.id, function) in told for function in item.functions)
    ]
    return MetRecords(acute, _merge(ignorable))


def _fold_warnings(met: list[MetRecord]) -> list[MetRecord]:
    """Without the warnings about functions of which a record says why; that record names the warning instead."""
    for warning in [item for item in met if _slug(item) == GENERIC and item.functions]:
        names = {_visible(name) for name in warning.functions}
        for number, item in enumerate(met):
            says_why = _slug(item).startswith(SPECIFIC) and _slug(item) != GENERIC
            if says_why and names <= {_visible(name) for name in item.functions}:
                also = list(dict.fromkeys([*item.also, warning.record.id]))
                met[number] = msgspec.structs.replace(item, also=also)
                met.remove(warning)
                break
    return met


def _merge(met: Iterable[MetRecord]) -> list[MetRecord]:
    merged: dict[str, MetRecord] = {}
    for item in met:
        known = merged.get(item.record.id)
        merged[item.record.id] = _together(known, item) if known else item
    return list(merged.values())


def _together(first: MetRecord, other: MetRecord) -> MetRecord:
    """A run shows why for each of the functions; of a text the first place is enough."""
    whys = [first.why, other.why] if first.line is None and other.why not in first.why.splitlines() else [first.why]
    return msgspec.structs.replace(
        first,
        functions=list(dict.fromkeys([*first.functions, *other.functions])),
        why="\n".join(whys),
        count=first.count + other.count,
        also=list(dict.fromkeys([*first.also, *other.also])),
    )


def _slug(met: MetRecord) -> str:
    return met.record.id.partition("/")[2]


def _visible(name: str) -> str:
    """The name as it is written in the source, without the function around it."""
    return name.rpartition("<locals>.")[2]
