"""From a text to the records that explain it: ``match(text, collection)``."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from traceonce.knowledge.match.failures import Failure, Failures
from traceonce.knowledge.match.index import Hit, Index
from traceonce.knowledge.match.stream import MatchedMessage, scan
from traceonce.knowledge.record import Record

__all__ = ["Failure", "Failures", "Hit", "Index", "Match", "MatchedMessage", "guess", "match", "scan"]

GUESSES = 3
IGNORABLE = 0.51  # the score of what our report lets one ignore


class Match(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record that explains a text. `score` is above 0.5 for a match and below it for a guess; `why` is in words.

    A guess names the words that it shares with the text.
    """

    record: str
    score: float
    why: str
    guess: bool
    function: str | None = None
    matched: str | None = None
    line: int | None = None
    shared: tuple[str, ...] = ()


def match(
    text: str | bytes | Iterable[bytes], records: Index | Iterable[Record], limit: int = 10, guesses: int = GUESSES
) -> list[Match]:
    """The records that explain a text, best first; where none does, the nearest by words, marked as guesses.

    `records` is an `Index`, which is quick to ask again, or anything that gives records, such as a `Collection`.
    """
    index = records if isinstance(records, Index) else Index(records)
    summary = Failures()
    best: dict[str, Hit] = {}
    for answer in scan(text, index):
        summary.take(answer)
        for hit in answer.hits:
            known = best.get(hit.record.id, hit)
            first, other = (hit, known) if hit.rank < known.rank else (known, hit)
            best[hit.record.id] = first._replace(function=first.function or other.function)
    if best:
        return [_describe(hit) for hit in sorted(best.values(), key=lambda hit: hit.rank)[:limit]]
    return guess(summary.query, index, min(guesses, limit))


def guess(text: str, index: Index, limit: int = GUESSES) -> list[Match]:
    """The nearest records by words."""
    return [
        Match(record.id, round(nearness / 2, 3), f"shares the words {', '.join(words)}", guess=True, shared=words)
        for record, nearness, words in (
            (record, nearness, tuple(shared[:6])) for record, nearness, shared in index.words.nearest(text, limit)
        )
    ]


def _describe(hit: Hit) -> Match:
    why = "the text names this record" if hit.named else f"the message has: {hit.matched}"
    return Match(hit.record.id, _score(hit), why, False, hit.function, hit.matched, hit.line)


def _score(hit: Hit) -> float:
    """1 where the record is named; else between 0.5 and 1, the more fixed characters were found the higher.

    What can be ignored is known as surely, and matters least.
    """
    if hit.ignorable:
        return IGNORABLE
    return 1.0 if hit.named else round(0.99 - 0.49 / (1 + hit.fixed / 20), 3)
