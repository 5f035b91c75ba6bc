"""Looking for records by words, as somebody types them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from traceonce.knowledge.language import in_language
from traceonce.knowledge.record import Record
from traceonce.serve.models import RecordLine, RecordList
from traceonce.serve.summaries import searchable
from traceonce.words.translated import Language


class _Entry(NamedTuple):
    """A record, and the texts in which words are looked for: its name, that with its title, all that people read."""

    record: Record
    places: tuple[str, str, str]

    def rank(self, words: Sequence[str]) -> int | None:
        """Which is the first of the texts that has all words? None where none has."""
        return next((rank for rank, place in enumerate(self.places) if all(word in place for word in words)), None)


class RecordSearch:
    """Made once, asked often."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._entries = [_Entry(record, _places(record)) for record in records]

    def find(self, query: str, domain: str | None, limit: int, offset: int, language: Language) -> RecordList:
        """The records in which all words stand; the closer to the name, the earlier."""
        words = searchable(query).split()
        ranked = [
            (rank, entry.record)
            for entry in self._entries
            if domain in (None, _domain(entry.record)) and (rank := entry.rank(words)) is not None
        ]
        found = [record for _, record in sorted(ranked, key=lambda pair: pair[0])]
        chosen = found[offset : offset + limit]
        return RecordList(total=len(found), records=[_line(record, language) for record in chosen])


def _places(record: Record) -> tuple[str, str, str]:
    title = [record.id, record.signature, record.signature_zh]
    rest = [record.root_cause, record.root_cause_zh, record.category, *record.tags, *record.aliases]
    rest += [*record.workarounds_zh, *record.dead_ends_zh, *(claim.item.action for claim in record.claims)]
    return searchable(record.id), searchable("\n".join(title)), searchable("\n".join([*title, *rest]))


def _domain(record: Record) -> str:
    return record.id.partition("/")[0]


def _line(record: Record, language: Language) -> RecordLine:
    return RecordLine(
        id=record.id,
        signature=in_language(language, record.signature, record.signature_zh),
        category=record.category,
        tier=record.verification_tier,
        domain=_domain(record),
        tags=record.tags,
        workarounds=len(record.workarounds),
        dead_ends=len(record.dead_ends),
        last_confirmed=record.last_confirmed,
    )
