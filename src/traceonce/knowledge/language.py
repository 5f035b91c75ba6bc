"""The languages that records are written in, and how a text is chosen by them."""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.words.translated import LANGUAGES, Language


def words_in(language: Language, table: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """One column of a table in which English and Chinese stand side by side."""
    return {key: both[LANGUAGES.index(language)] for key, both in table.items()}


def in_language(language: Language, english: str, chinese: str) -> str:
    """The Chinese text where that is asked for, and there is one; else the English one."""
    return chinese if language == "zh" and chinese.strip() else english


def is_chinese(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"


def language_of(text: str) -> Language | None:
    """Chinese where the text is; None where it may be anybody's."""
    return "zh" if sum(map(is_chinese, text[:2_000])) >= 4 else None
