"""How records word a claim: `when:` is followed by a condition, `cost:` by a cost, each a clause and not a sentence."""

from __future__ import annotations

import re

import pytest

from traceonce.knowledge.collection import Collection
from traceonce.knowledge.record import Record

NAMES = ("AutoGraph", "Keras", "NumPy", "PyTorch", "Python", "TensorFlow", "XLA")  # stand in capitals anywhere
NO_CONDITION = re.compile(r"^(where|for|when|if|only (where|with|for)|costs?|needs)\b", re.IGNORECASE)
NO_CONDITION_ZH = re.compile("^(适用于|针对|仅适用|前提是)|。$")


def is_clause(text: str) -> bool:
    begins = text.startswith(NAMES) or not text[:1].isupper()
    return begins and not text.endswith(".") and not NO_CONDITION.search(text)


@pytest.mark.parametrize("record", Collection(), ids=lambda record: record.id)
def test_when_and_cost_read_on_from_their_labels(record: Record) -> None:
    wrong = [
        f"{at}: {text}"
        for at, claim in record.claims
        for text in (claim.condition, claim.cost)
        if text and not is_clause(text)
    ]
    wrong += [
        f"{at}: {text}"
        for at, claim in record.claims
        for text in (claim.condition_zh, claim.cost_zh)
        if NO_CONDITION_ZH.search(text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text", ["Costs the work on the padding.", "For a list index", "where the shape is static", "Compiles twice"]
)
def test_a_sentence_is_no_clause(text: str) -> None:
    assert not is_clause(text)
