"""What a record says to somebody who has just met its failure, in one language: what to try first, what not to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from traceonce.knowledge.evidence import interval, rate, sum_up, version_name
from traceonce.knowledge.language import in_language
from traceonce.knowledge.record import DeadEnd, Record, Workaround
from traceonce.words.translated import Language


class Shown(msgspec.Struct, frozen=True):
    """What the runs of a claim show: it held in `held` of `runs`, with these versions; `least` is the safe share."""

    held: int
    runs: int
    rate: float
    least: float
    versions: list[str]


class Advice(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something to do, or not to do: in words, as code, when it applies, what it costs, and what the runs show."""

    action: str
    how: str = ""
    condition: str = ""
    cost: str = ""
    why: str = ""
    shown: Shown | None = None


class Related(msgspec.Struct, frozen=True):
    record: str
    signature: str


class MetRecord(msgspec.Struct, frozen=True):
    """A record that somebody has met: in which functions, why we think so, how often, in which line first.

    `also` are records that are known by the same message, but less well. `ignorable` is what our own report, or the
    verdict on a run, lets one ignore.
    """

    record: Record
    functions: list[str]
    why: str
    count: int = 1
    line: int | None = None
    also: list[str] = []
    ignorable: bool = False


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One failure, explained. `function` is the first of `functions`."""

    record: str
    language: Language
    signature: str
    function: str | None
    why: str
    count: int
    root_cause: str
    tier: str
    functions: list[str] = []
    try_first: Advice | None = None
    other_workarounds: list[Advice] = []
    do_not: list[Advice] = []
    comes_next: list[Related] = []
    confused_with: list[Related] = []
    also: list[str] = []
    line: int | None = None
    url: str | None = None

    def __str__(self) -> str:
        """The record, its cause, and what to do and not to do, in lines."""
        advice = [("try first", "先试", self.try_first)] if self.try_first else []
        advice += [("or", "或者", other) for other in self.other_workarounds]
        advice += [("do not", "不要", other) for other in self.do_not]
        told = [("cause", "原因", self.root_cause), *((en, zh, each.action) for en, zh, each in advice)]
        names = f"  {', '.join(self.functions)}" if self.functions else ""
        lines = [f"  {in_language(self.language, en, zh):<10} {text}" for en, zh, text in told if text]
        return "\n".join([f"{self.record}{names}", *lines])


def explain_record(
    met: MetRecord, language: Language, records: Mapping[str, Record], *, everything: bool = False
) -> Explanation:
    """Explain a record; `records` gives those that it points to. With `everything`: all workarounds."""
    record = met.record

    def related(way: str) -> list[Related]:
        targets = record.transition_graph.targets(way)
        return [Related(name, _signature(records[name], language) if name in records else "") for name in targets]

    workarounds = _advice(record.workarounds, record.workarounds_zh, language)
    return Explanation(
        record=record.id,
        language=language,
        signature=_signature(record, language),
        function=met.functions[0] if met.functions else None,
        functions=met.functions,
        why=met.why,
        count=met.count,
        root_cause=in_language(language, record.root_cause, record.root_cause_zh),
        tier=record.verification_tier,
        try_first=workarounds[0] if workarounds else None,
        other_workarounds=workarounds[1:] if everything else [],
        do_not=_advice(record.dead_ends, record.dead_ends_zh, language),
        comes_next=related("leads_to"),
        confused_with=related("frequently_confused_with"),
        also=met.also,
        line=met.line,
        url=record.official_doc_url,
    )


def _signature(record: Record, language: Language) -> str:
    return in_language(language, record.signature, record.signature_zh)


def _advice(claims: Sequence[Workaround | DeadEnd], in_chinese: Sequence[str], language: Language) -> list[Advice]:
    pairs = zip(claims, [*in_chinese, *[""] * len(claims)], strict=False)
    return [
        Advice(
            action=in_language(language, claim.action, chinese),
            how=claim.how if isinstance(claim, Workaround) and claim.how != claim.action else "",
            condition=in_language(language, claim.condition, claim.condition_zh),
            cost=in_language(language, claim.cost, claim.cost_zh),
            why=in_language(language, claim.why_fails, claim.why_fails_zh) if isinstance(claim, DeadEnd) else "",
            shown=_shown(claim),
        )
        for claim, chinese in pairs
    ]


def _shown(claim: Workaround | DeadEnd) -> Shown | None:
    share, between = rate(claim.evidence), interval(claim.evidence)
    if share is None or between is None:
        return None
    held, runs = sum_up(claim.evidence)
    return Shown(held, runs, share, between[0], list(dict.fromkeys(map(version_name, claim.evidence))))
