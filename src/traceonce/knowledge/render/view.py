"""A record as it is to be read: the texts of one language, rates with their sample, runs in a line. No markup here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from traceonce.knowledge.evidence import framework_name, interval, version_name
from traceonce.knowledge.record import TRANSITIONS, DeadEnd, Evidence, Record, Workaround, record_named_in
from traceonce.knowledge.render.labels import value_in, words_of
from traceonce.words.notes import say_codes
from traceonce.words.translated import Language


class TranslatedText(NamedTuple):
    """A text of the record; where it is not in the language that was asked for, that is said beside it."""

    text: str
    translated: bool = True

    def __bool__(self) -> bool:
        return bool(self.text.strip())


class VersionView(NamedTuple):
    name: str
    status: str
    introduced: str
    deprecated: str


class Related(NamedTuple):
    """Another record, and what is said about the way to it."""

    id: str
    note: str


class ClaimView(NamedTuple):
    """A workaround or a dead end."""

    number: int
    action: TranslatedText
    why: TranslatedText
    rate: str
    how: str
    repeats: bool  # the code is no code, but the action once more
    was_run: bool
    condition: TranslatedText
    cost: TranslatedText
    runs: list[str]
    cases: list[tuple[str, str]]
    sources: list[str]


class RecordView(NamedTuple):
    """Everything that the templates show."""

    language: Language
    words: dict[str, str]
    id: str
    title: TranslatedText
    original: str
    domain: str
    category: str
    error_code: str
    tier: str
    fix_rate: str
    confidence: str
    last_confirmed: str
    aliases: list[str]
    document: str
    document_section: str
    root_cause: TranslatedText
    versions: list[VersionView]
    workarounds: list[ClaimView]
    dead_ends: list[ClaimView]
    runs: list[str]
    examples: list[str]
    related: dict[str, list[Related]]
    was_run: bool


def view_of(record: Record, language: Language) -> RecordView:
    """What is to be read of a record in this language."""
    words = words_of(language)
    chinese = language == "zh"
    was_run = bool(record.evidence)
    fixing = [piece for item in record.workarounds for piece in item.evidence]
    return RecordView(
        language=language,
        words=words,
        id=record.id,
        title=_phrase(language, record.signature, record.signature_zh),
        original=record.signature if chinese and record.signature_zh else "",
        domain=record.domain,
        category=record.category,
        error_code=record.error_code or "",
        tier=value_in(language, record.verification_tier),
        fix_rate=_rate("{rate}", record.fix_success_rate, record.fix_success_interval, fixing, words),
        confidence=_percent(record.confidence) if was_run and record.confidence is not None else "",
        last_confirmed=record.last_confirmed or "" if was_run else "",
        aliases=[alias for alias in record.aliases if alias.strip()],
        document=record.official_doc_url or "",
        document_section=record.official_doc_section or "",
        root_cause=_phrase(language, record.root_cause, record.root_cause_zh),
        versions=_versions(record, language, words),
        workarounds=[
            _claim(number, item, _item(record.workarounds_zh, number), "success", language)
            for number, item in enumerate(record.workarounds, 1)
        ],
        dead_ends=[
            _claim(number, item, _item(record.dead_ends_zh, number), "fail", language)
            for number, item in enumerate(record.dead_ends, 1)
        ],
        runs=_runs(record.evidence, language, words),
        examples=[example for example in record.examples if example.strip()],
        related={way: found for way in TRANSITIONS if (found := _related(getattr(record.transition_graph, way)))},
        was_run=was_run,
    )


def link_of(text: str) -> str | None:
    """The text, if it is an address that a page may link to."""
    return text if re.fullmatch(r"https?://[^\s<>\"'`\\\x00-\x20]+", text) else None


def _phrase(language: Language, english: str, chinese: str) -> TranslatedText:
    if language == "en":
        return TranslatedText(english)
    return TranslatedText(chinese) if chinese.strip() else TranslatedText(english, translated=not english.strip())


def _item(texts: Sequence[str], number: int) -> str:
    return texts[number - 1] if number <= len(texts) else ""


def _claim(number: int, claim: Workaround | DeadEnd, chinese: str, rated: str, language: Language) -> ClaimView:
    words = words_of(language)
    if isinstance(claim, DeadEnd):
        why = _phrase(language, claim.why_fails, claim.why_fails_zh)
        rate, between = claim.fail_rate, claim.fail_interval
    else:
        why = TranslatedText("")
        rate, between = claim.success_rate, claim.success_interval
    return ClaimView(
        number=number,
        action=_phrase(language, claim.action, chinese),
        why=why,
        rate=_rate(words[rated], rate, between, claim.evidence, words),
        how=claim.how,
        repeats=claim.how.split() == claim.action.split(),
        was_run=bool(claim.evidence or claim.experiment),
        condition=_phrase(language, claim.condition, claim.condition_zh),
        cost=_phrase(language, claim.cost, claim.cost_zh),
        runs=_runs(claim.evidence, language, words, before=isinstance(claim, Workaround)),
        cases=_cases(claim, words),
        sources=[_source(source) for source in claim.sources],
    )


def _rate(
    form: str,
    rate: float | None,
    between: tuple[float, float] | None,
    evidence: Iterable[Evidence],
    words: dict[str, str],
) -> str:
    """A rate; with the number of runs and the interval, where it comes from runs."""
    if rate is None:
        return ""
    pieces = list(evidence)
    said = form.format(rate=_percent(rate))
    between = between or interval(pieces)
    if not pieces or between is None:
        return said
    low, high = (round(100 * end) for end in between)
    sample = words["sample"].format(runs=sum(piece.runs for piece in pieces), low=low, high=high)
    return said + words["comma"] + sample if form != "{rate}" else said + words["open"] + sample + words["close"]


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _versions(record: Record, language: Language, words: dict[str, str]) -> list[VersionView]:
    run = set(map(version_name, record.evidence))
    views = []
    for version in record.versions:
        status = value_in(language, version.status or "—")
        if run and version.version not in run:
            status += words["open"] + words["never_run"] + words["close"]
        views.append(VersionView(version.version, status, version.introduced or "—", version.deprecated or "—"))
    return views


def _runs(
    evidence: Sequence[Evidence], language: Language, words: dict[str, str], *, before: bool = False
) -> list[str]:
    """What the runs came to; versions with which it was the same stand together."""
    same: dict[tuple[str, str], list[str]] = {}
    for piece in evidence:
        said = _outcome(piece, language, words)
        if before and piece.traces_before and piece.traces_before > max(1, piece.traces_after or 0):
            said += words["open"] + words["traces_before"].format(count=piece.traces_before) + words["close"]
        if piece.held < piece.runs:
            said += words["comma"] + words["held_in_runs"].format(held=piece.held, runs=piece.runs)
        same.setdefault((piece.framework, said), []).append(piece.version)
    return [
        f"{framework_name(framework)} {', '.join(versions)}{words['colon']}{said}"
        for (framework, said), versions in same.items()
    ]


def _outcome(piece: Evidence, language: Language, words: dict[str, str]) -> str:
    """What was seen in a run, in this language; an error's own text stays as it was printed."""
    said = say_codes(piece.seen, language) if language != "en" else []
    return words["comma"].join(said) or piece.outcome


def _cases(claim: Workaround | DeadEnd, words: dict[str, str]) -> list[tuple[str, str]]:
    """For a claim that was run in several situations: in which of them the action helped."""
    seen: dict[str, set[bool]] = {}
    for piece in claim.evidence:
        for case, held in piece.cases.items():
            seen.setdefault(case, set()).add(held is isinstance(claim, Workaround))
    groups = (("helped", {True}), ("did_not_help", {False}), ("differed", {True, False}))
    named = ((words[label], [case for case, ways in seen.items() if ways == wanted]) for label, wanted in groups)
    return [(label, words["and_list"].join(cases)) for label, cases in named if cases]


def _source(source: Any) -> str:
    if isinstance(source, dict):
        source = source.get("url") or source.get("title") or source
    return source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)


def _related(items: Sequence[Any]) -> list[Related]:
    found = []
    for item in (item for item in items if isinstance(item, (str, dict))):
        notes = [item.get("distinction"), item.get("condition")] if isinstance(item, dict) else []
        note = next((note for note in notes if isinstance(note, str) and note), "")
        found.append(Related(record_named_in(item) or "?", note))
    return found
