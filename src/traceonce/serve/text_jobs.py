"""What workers do with long texts, which take as long as small recordings: matching is all Python."""

from __future__ import annotations

from pathlib import Path

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, Match
from traceonce.knowledge.match import match as match_text
from traceonce.knowledge.text_explanations import TextExplainer, TextExplanation
from traceonce.words.translated import Language

_indexes: dict[tuple[Path, ...], Index] = {}  # of one collection: a server has no other


def explain(collection: Collection, text: str, language: Language | None) -> TextExplanation:
    return TextExplainer(_index(collection), language).text(text)


def match(collection: Collection, text: str) -> list[Match]:
    return match_text(text, _index(collection))


def _index(collection: Collection) -> Index:
    key = tuple(collection.paths.values())
    if key not in _indexes:
        _indexes.clear()
        _indexes[key] = Index(collection)
    return _indexes[key]
