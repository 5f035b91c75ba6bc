"""A few words, or a sentence without arguments of its own, in every language."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class Text(NamedTuple):
    """The same in English and in Chinese, side by side, so that none is forgotten."""

    en: str
    zh: str

    def said_in(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en
