"""What is explained of all that was met: each record once, no warning without need, nothing that can be ignored."""

from __future__ import annotations

from typing import Any

from traceonce.knowledge.advice import MetRecord
from traceonce.knowledge.met_records import gather
from traceonce.knowledge.record import Record

NUMBER, SHAPE, WARNING, BOOL = (
    Record(id=f"tensorflow/{slug}", signature="")
    for slug in ("retracing-python-number", "retracing-shape", "retracing-warning", "symbolic-tensor-as-bool")
)


def met(record: Record, *functions: str, **fields: Any) -> MetRecord:
    return MetRecord(record, list(functions), fields.pop("why", "because"), **fields)


def told(items: list[MetRecord]) -> list[tuple[str, list[str], int]]:
    return [(item.record.id.partition("/")[2], item.functions, item.count) for item in items]


def test_a_record_comes_once_with_all_of_its_functions() -> None:
    items = [
        met(NUMBER, "f", line=3, count=2, also=["a"], why="first"),
        met(BOOL, line=4),
        met(NUMBER, line=5, also=["a", "b"], why="second"),
        met(NUMBER, "g", line=6),
    ]
    gathered = gather(items)
    assert told(gathered.acute) == [("retracing-python-number", ["f", "g"], 4), ("symbolic-tensor-as-bool", [], 1)]
    first = gathered.acute[0]
    assert (first.line, first.why, first.also) == (3, "first", ["a", "b"])


def test_a_run_says_why_for_each_function() -> None:
    [item] = gather([met(NUMBER, "f", why="one"), met(NUMBER, "g", why="two"), met(NUMBER, "h", why="two")]).acute
    assert item.why == "one\ntwo"


def test_the_warning_is_folded_into_the_record_that_says_why() -> None:
    items = [met(WARNING, "train.<locals>.step"), met(WARNING, "other"), met(NUMBER, "step"), met(SHAPE, "step")]
    gathered = gather(items).acute
    assert told(gathered) == [
        ("retracing-warning", ["other"], 1),
        ("retracing-python-number", ["step"], 1),
        ("retracing-shape", ["step"], 1),
    ]
    assert [item.also for item in gathered] == [[], [WARNING.id], []]


def test_the_warning_stays_where_no_record_says_why() -> None:
    items = [met(WARNING, "step"), met(BOOL, "step"), met(NUMBER, "other"), met(NUMBER)]
    assert gather(items).acute[0] == items[0]
    assert told(gather([met(WARNING), met(NUMBER)]).acute)[0] == ("retracing-warning", [], 1)


def test_what_can_be_ignored_is_apart() -> None:
    items = [met(NUMBER, "f", ignorable=True), met(NUMBER, "g"), met(SHAPE, "f", ignorable=True), met(WARNING, "f")]
    gathered = gather(items)
    assert told(gathered.acute) == [("retracing-python-number", ["g"], 1)]
    assert told(gathered.ignorable) == [("retracing-python-number", ["f"], 1), ("retracing-shape", ["f"], 1)]


def test_what_needs_care_elsewhere_cannot_be_ignored() -> None:
    gathered = gather([met(NUMBER, "f", ignorable=True), met(NUMBER, "f")])
    assert told(gathered.acute) == [("retracing-python-number", ["f"], 1)]
    assert gathered.ignorable == []
