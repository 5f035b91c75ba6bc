"""Saying the words of the pages, in one language."""

from __future__ import annotations

from markupsafe import Markup

from traceonce.causes import CATALOGUE
from traceonce.facts import CauseCode, Verdict
from traceonce.knowledge.language import in_language, words_in
from traceonce.knowledge.render.labels import value_in
from traceonce.serve.web.formats import harmless
from traceonce.serve.web.labels import CATEGORIES, LIVE, WORDS
from traceonce.words.sentence import choose_forms
from traceonce.words.translated import Language
from traceonce.words.verdicts import BADGES


class Speech:
    """Says words in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._words = words_in(language, WORDS)
        self.live = words_in(language, LIVE)

    def say(self, key: str, **values: object) -> Markup:
        """A word with its places filled in; whatever is put in is escaped."""
        return Markup(choose_forms(self._words[key], values)).format(
            **{name: harmless(value) for name, value in values.items()}
        )

    def knows(self, key: str) -> bool:
        return key in self._words

    def category(self, name: str) -> str:
        """A record's category as people read it; of another base it may be any text."""
        plain = name.replace("_", " ")
        return in_language(self.language, *CATEGORIES.get(name, (plain, "")))

    def cause(self, code: str) -> str:
        return CATALOGUE[CauseCode(code)].name.said_in(self.language)

    def verdict(self, name: str) -> str:
        return BADGES[Verdict(name)].said_in(self.language)

    def tier(self, name: str) -> str:
        return value_in(self.language, name).replace("_", " ")
