"""Asked what a text means: every failure in it that a record explains, what can be ignored, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from traceonce.knowledge.advice import Explanation, MetRecord, explain_record
from traceonce.knowledge.language import in_language, language_of
from traceonce.knowledge.match import Failures, Index, Match, guess, scan
from traceonce.knowledge.met_records import gather
from traceonce.words.translated import Language

END = 2_000  # characters: a question may stand before an error or after it


class Ignorable(msgspec.Struct, frozen=True):
    """A record that was met, and may be ignored, in these functions."""

    record: str
    functions: list[str]


class TextExplanation(NamedTuple):
    """All that is answered. `unknown` are errors that no record knows; `fine` says that a run needs no explanation.

    `language` is that of what was asked; None where that may be anybody's.
    """

    explanations: list[Explanation]
    ignorable: list[Ignorable]
    unknown: list[str]
    guesses: list[Match]
    fine: bool = False
    language: Language | None = None

    def plain(self) -> dict[str, object]:
        """The answer for programs."""
        return {
            "explanations": self.explanations,
            "ignorable": self.ignorable,
            "unknown": self.unknown,
            "guesses": self.guesses,
        }


class TextExplainer:
    """Answers from an index: in the `language` asked for; else in that of the text; else in the `usual` one."""

    def __init__(
        self, index: Index, language: Language | None = None, *, usual: Language = "en", everything: bool = False
    ) -> None:
        self._index = index
        self._language = language
        self._usual = usual
        self._everything = everything

    def text(self, text: str | Iterable[bytes], beginning: str | None = None) -> TextExplanation:
        """Explain a text. Of one that comes in pieces, `beginning` is the first."""
        first = beginning if beginning is not None else text if isinstance(text, str) else ""
        # The language is that of the text, also where what was matched in it is an English error.
        written_in = language_of(first) or language_of(first[-END:])
        summary = Failures(scan(text, self._index))
        met = []
        for found in summary.found:
            written_in = written_in or language_of(found.matched)
            named = in_language(self.language_for(written_in), "the text names this record", "文本中提到了这条记录")
            why = named if found.named else found.matched
            functions = [found.function] if found.function else []
            met.append(MetRecord(found.record, functions, why, found.count, found.line, found.also, found.ignorable))
        guesses = [] if met else guess(summary.query, self._index)
        return self.gathered(met, summary.unknown, guesses, written_in)

    def gathered(
        self, met: list[MetRecord], unknown: list[str], guesses: list[Match], written_in: Language | None
    ) -> TextExplanation:
        """The answer, from what was met."""
        together = gather(met)
        language = self.language_for(written_in)
        return TextExplanation(
            [self.explain(item, language) for item in together.acute],
            [Ignorable(item.record.id, item.functions) for item in together.ignorable],
            unknown,
            guesses,
            language=written_in,
        )

    def explain(self, met: MetRecord, language: Language) -> Explanation:
        return explain_record(met, language, self._index.by_id, everything=self._everything)

    def language_for(self, written_in: Language | None) -> Language:
        return self._language or written_in or self._usual
