"""Our own records: every harvested message finds its record first, and no harmless line finds any."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.match import Index, match, scan

BENCH = Path(__file__).parents[3] / "bench"
FEWEST_BENIGN, FEWEST_MESSAGES, FEWEST_OF_A_RECORD = 3_000, 200, 3


@pytest.fixture(scope="module")
def index() -> Index:
    return Index(Collection())


def test_every_expression_is_accepted(index: Index) -> None:
    assert index.refused == []


def test_every_message_finds_its_record_first(index: Index) -> None:
    messages = [json.loads(line) for line in (BENCH / "messages.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = []
    for message in messages:
        found = match(message["text"], index, limit=1)
        if not found or found[0].guess or found[0].record != message["record"]:
            wrong.append((message["record"], message["trial"], found[0].record if found else None))
    assert wrong == []
    counted = Counter(message["record"] for message in messages)
    assert len(messages) >= FEWEST_MESSAGES
    assert len({message["version"] for message in messages}) >= 2
    assert {record.id: counted[record.id] for record in index.records if counted[record.id] < FEWEST_OF_A_RECORD} == {}


def test_no_harmless_line_matches(index: Index) -> None:
    """Each line on its own, and every program's output as a whole."""
    sections: dict[str, list[str]] = {}
    for line in (BENCH / "benign.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#: "):
            section = sections.setdefault(line, [])
        else:
            section.append(line)
    lines = [line for section in sections.values() for line in section if line]
    texts = [*lines, *("\n".join(section) for section in sections.values())]
    matched = [(text[:200], answer.hits[0].record.id) for text in texts for answer in scan(text, index) if answer.hits]
    assert matched == []
    assert len(lines) >= FEWEST_BENIGN


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_signature_finds_its_record_first(index: Index, language: str) -> None:
    """With the context that a message may need."""
    wrong = {}
    for record in index.records:
        signature = record.signature if language == "en" else record.signature_zh
        hits = [hit for answer in scan(signature, index, in_context=True) for hit in answer.hits]
        if not hits or hits[0].record.id != record.id:
            wrong[record.id] = [hit.record.id for hit in hits]
    assert wrong == {}
