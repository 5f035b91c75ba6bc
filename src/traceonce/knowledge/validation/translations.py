"""Rules on the Chinese text."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.knowledge.record import DeadEnd
from traceonce.knowledge.validation.problem import Problem
from traceonce.knowledge.validation.record_case import RecordCase


def lists_of_one_length(case: RecordCase) -> Iterator[Problem]:
    """`workarounds_zh` and `dead_ends_zh`, where they are given, have an entry for every workaround and dead end."""
    for name in ("workarounds", "dead_ends"):
        entries, translated = getattr(case.record, name), getattr(case.record, f"{name}_zh")
        if translated and len(translated) != len(entries):
            what = f"it has {_count(len(translated))}, and {name} has {len(entries)}: they no longer go together"
            remedy = "Give one translation for each, in the same order"
            yield case.problem("lists_of_one_length", f"{name}_zh", what, remedy)


def everything_is_translated(case: RecordCase) -> Iterator[Problem]:
    """Every sentence of a record has a Chinese text, and it is not the English one."""
    record = case.record
    texts = [
        (f"{name}_zh", getattr(record, name), getattr(record, f"{name}_zh")) for name in ("signature", "root_cause")
    ]
    for name in ("workarounds", "dead_ends"):
        entries, translated = getattr(record, name), getattr(record, f"{name}_zh")
        if entries and not translated:
            yield _missing(case, f"{name}_zh")
        elif len(entries) == len(translated):
            pairs = enumerate(zip(entries, translated, strict=True))
            texts += [(f"{name}_zh[{number}]", entry.action or "?", chinese) for number, (entry, chinese) in pairs]
    for at, item in case.record.claims:
        texts.append((f"{at}.condition_zh", item.condition, item.condition_zh))
        texts.append((f"{at}.cost_zh", item.cost, item.cost_zh))
        if isinstance(item, DeadEnd):
            texts.append((f"{at}.why_fails_zh", item.why_fails, item.why_fails_zh))
    for field, english, chinese in texts:
        if english.strip() and not chinese.strip():
            yield _missing(case, field)
        elif english.strip() and english.split() == chinese.split():
            what = "it is the English text"
            yield case.problem("everything_is_translated", field, what, "Translate it", "warning")


def _missing(case: RecordCase, field: str) -> Problem:
    return case.problem("everything_is_translated", field, "the Chinese text is missing", "Translate it", "warning")


def _count(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"
