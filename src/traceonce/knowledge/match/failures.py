"""The failures of a text, each once: how often it came, where first, in which function, and what it may be besides."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from traceonce.knowledge.match.index import Hit
from traceonce.knowledge.match.stream import MatchedMessage
from traceonce.knowledge.record import Record

FUNCTIONS = 50  # of one record that are told apart
UNKNOWN = 3  # errors about which nothing is known that are kept
QUERY = 2_000  # characters of a text by which records are guessed


class Failure(msgspec.Struct):
    """A record that explains something in the text. `also` are records that match the same message, but less well.

    `ignorable` says that our report, which is the text, lets one ignore it.
    """

    record: Record
    function: str | None
    matched: str
    named: bool
    line: int
    ignorable: bool = False
    count: int = 0
    also: list[str] = []


class Failures:
    """Grows with the number of different failures, not with the text."""

    def __init__(self, answers: Iterable[MatchedMessage] = ()) -> None:
        self._found: dict[tuple[str, str | None, bool], Failure] = {}
        self.unknown: list[str] = []
        self._errors = self._beginning = ""
        for answer in answers:
            self.take(answer)

    @property
    def found(self) -> list[Failure]:
        """In the order in which they came."""
        return list(self._found.values())

    @property
    def query(self) -> str:
        """What to guess by: the lines that name errors, or else the beginning of the text."""
        return self._errors or self._beginning

    def take(self, answer: MatchedMessage) -> None:
        message, hits = answer
        if not hits:
            if message.error and len(self._errors) < QUERY:
                self._errors += message.error[:QUERY] + "\n"
            if len(self._beginning) < QUERY:
                self._beginning += message.text[:QUERY] + "\n"
            if message.error and message.error not in self.unknown and len(self.unknown) < UNKNOWN:
                self.unknown.append(message.error)
            return
        best = [hit for hit in hits if hit.named] or hits[:1]
        others = [hit.record.id for hit in hits if hit not in best]
        for hit in best:
            found = self._entry(hit)
            found.count += 1
            found.also += [other for other in others if other not in found.also]

    def _entry(self, hit: Hit) -> Failure:
        key = (hit.record.id, hit.function, hit.ignorable)
        if key not in self._found:
            if sum(known == hit.record.id for known, *_ in self._found) >= FUNCTIONS:
                key = (hit.record.id, None, hit.ignorable)
            found = Failure(hit.record, key[1], hit.matched, hit.named, hit.line, hit.ignorable)
            self._found.setdefault(key, found)
        return self._found[key]
