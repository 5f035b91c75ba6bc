"""The nearest records by words: a guess for a message that no expression knows.

Texts are compared by the words they share, each weighted by how few records have it (inverse document frequency), as
the cosine of the angle between them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable

import re2

from traceonce.knowledge.expressions import chinese_pairs
from traceonce.knowledge.record import Record

READ = 4_000  # characters of a text that are looked at
LEAST = 0.12  # cosine below which two texts have nothing to do with each other
LEAST_SHARED = 2  # words
COMMON = 300  # records that have a word, beyond which it tells nothing

_WORD = re2.compile(r"[A-Za-z][A-Za-z_]{2,}")
_ANYWHERE = (  # words that any text may have
    "all and any are been being but call can could file for from had has have here how into its last line may most not "
    "one out recent see should than that the then there this traceback two use used using was were what when which "
    "while who will with would you your"
)
_STOP = frozenset(_ANYWHERE.split())


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, without those that every text has; Chinese by pairs of characters."""
    text = text[:READ]
    found = [word for word in (part.lower() for part in _WORD.findall(text)) if word not in _STOP]
    if not text.isascii():
        found += chinese_pairs(text)
    return found


class Words:
    """The words of all records, by weight."""

    def __init__(self, records: Iterable[Record]) -> None:
        documents = [(record, _weighted(record)) for record in records]
        count = Counter(word for _, words in documents for word in words)
        self._rarity = {word: math.log(1 + len(documents) / number) for word, number in count.items()}
        self._unknown = math.log(1 + len(documents))
        self._records = [record for record, _ in documents]
        self._having: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (_, words) in enumerate(documents):
            length = math.sqrt(sum((weight * self._rarity[word]) ** 2 for word, weight in words.items())) or 1.0
            for word, weight in words.items():
                self._having[word].append((number, weight * self._rarity[word] / length))

    def nearest(self, text: str, limit: int) -> list[tuple[Record, float, list[str]]]:
        """Records that share words with the text: how near (0 to 1), and the words that say so, the rarest first."""
        words = set(words_of(text))
        length = math.sqrt(sum(self._rarity.get(word, self._unknown) ** 2 for word in words)) or 1.0
        nearness: dict[int, float] = defaultdict(float)
        shared: dict[int, list[str]] = defaultdict(list)
        for word in sorted(words, key=lambda word: (-self._rarity.get(word, 0.0), word)):
            having = self._having.get(word, ())
            for number, weight in having if len(having) <= COMMON else ():
                nearness[number] += weight * self._rarity[word] / length
                shared[number].append(word)
        near = [number for number in nearness if nearness[number] >= LEAST and len(shared[number]) >= LEAST_SHARED]
        near.sort(key=lambda number: (-nearness[number], self._records[number].id))
        return [(self._records[number], nearness[number], shared[number]) for number in near[:limit]]


def _weighted(record: Record) -> dict[str, float]:
    """The words of a record: those of its message count most."""
    texts = {
        0.3: [record.root_cause, record.root_cause_zh],
        0.6: [record.id.replace("/", " ").replace("-", " "), *record.tags, *record.examples],
        1.0: [record.signature, record.signature_zh, *record.aliases],
    }
    return {word: weight for weight, those in texts.items() for text in those for word in words_of(text)}
