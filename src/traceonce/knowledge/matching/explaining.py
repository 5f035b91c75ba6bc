"""What a record says to somebody who has just met its failure, in one language: what to try first, what not to try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from traceonce.knowledge.evidence import NAMES, wilson
from traceonce.knowledge.matching.expressions import is_chinese
from traceonce.knowledge.record import DeadEnd, Evidence, Record, Workaround

Language: TypeAlias = Literal["en", "zh"]


class Shown(msgspec.Struct, frozen=True):
    """What the runs of a claim show: it held in `held` of `runs`, with these versions; `least` is the safe share."""

    held: int
    runs: int
    rate: float
    least: float
    versions: list[str]


class Advice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to do, or not to do: in words, as code, where it applies, and what the runs show."""

    action: str
    how: str = ""
    condition: str = ""
    why: str = ""
    shown: Shown | None = None


class Related(msgspec.Struct, frozen=True):
    record: str
    signature: str


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One failure, explained."""

    record: str
    language: Language
    signature: str
    function: str | None
    why: str
    count: int
    root_cause: str
    tier: str
    try_first: Advice | None = None
    other_workarounds: list[Advice] = []
    do_not: list[Advice] = []
    comes_next: list[Related] = []
    confused_with: list[Related] = []
    also: list[str] = []
    line: int | None = None
    url: str | None = None


def explain_record(
    record: Record,
    language: Language,
    signatures: Mapping[str, Record],
    *,
    why: str,
    function: str | None = None,
    count: int = 1,
    line: int | None = None,
    also: list[str] | None = None,
    everything: bool = False,
) -> Explanation:
    """Explain a record; `signatures` gives those that it points to."""
    zh = language == "zh"
    workarounds = [_workaround(record, number, zh) for number in range(len(record.workarounds))]
    graph = record.transition_graph
    return Explanation(
        record=record.id,
        language=language,
        signature=(zh and record.signature_zh) or record.signature,
        function=function,
        why=why,
        count=count,
        root_cause=(zh and record.root_cause_zh) or record.root_cause,
        tier=record.verification_tier,
        try_first=workarounds[0] if workarounds else None,
        other_workarounds=workarounds[1:] if everything else [],
        do_not=[_dead_end(record, number, zh) for number in range(len(record.dead_ends))],
        comes_next=_related(graph.leads_to, signatures, zh),
        confused_with=_related(graph.frequently_confused_with, signatures, zh),
        also=also or [],
        line=line,
        url=record.official_doc_url,
    )


def language_of(text: str) -> Language | None:
    """Chinese where the text is; None where it may be anybody's."""
    return "zh" if sum(map(is_chinese, text[:2_000])) >= 4 else None


def _workaround(record: Record, number: int, zh: bool) -> Advice:
    claim = record.workarounds[number]
    return Advice(
        action=_translated(record.workarounds_zh, number, claim.action, zh),
        how=claim.how if claim.how != claim.action else "",
        condition=(zh and claim.condition_zh) or claim.condition,
        shown=_shown(claim),
    )


def _dead_end(record: Record, number: int, zh: bool) -> Advice:
    claim = record.dead_ends[number]
    return Advice(
        action=_translated(record.dead_ends_zh, number, claim.action, zh),
        condition=(zh and claim.condition_zh) or claim.condition,
        why=(zh and claim.why_fails_zh) or claim.why_fails,
        shown=_shown(claim),
    )


def _translated(texts: list[str], number: int, otherwise: str, zh: bool) -> str:
    return (zh and number < len(texts) and texts[number]) or otherwise


def _shown(claim: Workaround | DeadEnd) -> Shown | None:
    runs = sum(piece.runs for piece in claim.evidence)
    if not runs:
        return None
    held = sum(piece.held for piece in claim.evidence)
    versions = dict.fromkeys(map(_version, claim.evidence))
    return Shown(held, runs, round(held / runs, 2), wilson(held, runs)[0], list(versions))


def _version(piece: Evidence) -> str:
    return f"{NAMES.get(piece.framework, piece.framework)} {piece.version}"


def _related(items: list[Any], records: Mapping[str, Record], zh: bool) -> list[Related]:
    ids = [item if isinstance(item, str) else _named_in(item) for item in items]
    return [Related(name, _signature(records.get(name), zh)) for name in ids if name]


def _named_in(item: Any) -> str:
    names = [item.get(key) for key in ("id", "error_id", "record")] if isinstance(item, dict) else []
    return next((name for name in names if isinstance(name, str)), "")


def _signature(record: Record | None, zh: bool) -> str:
    if record is None:
        return ""
    return (zh and record.signature_zh) or record.signature
