"""Records lose nothing: what they do not know, and how it was written, survives a round trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traceonce.errors import RecordError
from traceonce.knowledge.record import Record, Workaround

SMALL = {"id": "tensorflow/some-failure", "signature": "It failed"}
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
unknown = st.dictionaries(st.text(min_size=1, max_size=6).map(lambda key: f"x_{key}"), anything, max_size=3)


@given(unknown, unknown, unknown)
def test_unknown_fields_survive_at_every_level(at_top: Any, of_workaround: Any, of_graph: Any) -> None:
    document = {
        **at_top,
        **SMALL,
        "workarounds": [{"action": "do this", **of_workaround}],
        "transition_graph": {"leads_to": [], **of_graph},
    }
    assert json.dumps(Record.read(document).plain()) == json.dumps(document)  # in the same order, too


def test_what_was_absent_stays_absent_and_what_is_set_appears() -> None:
    record = Record.read(SMALL)
    assert record.plain() == SMALL
    assert record.replace(tags=["a"]).plain() == {**SMALL, "tags": ["a"]}
    assert Record.read({**SMALL, "tags": []}).plain() == {**SMALL, "tags": []}
    assert Workaround(action="do this").plain() == {"action": "do this"}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "the document: is a list; it must be an object"),
        ({}, "the field 'id' is missing"),
        ({**SMALL, "domain": 3}, "domain: expected `str`, got `int`"),
        ({**SMALL, "workarounds": {}}, "workarounds: is an object; it must be a list"),
        ({**SMALL, "workarounds": ["x"]}, "workarounds[0]: is a string; it must be an object"),
        ({**SMALL, "dead_ends": [{"action": "", "why_fails": None}]}, "dead_ends[0].why_fails: expected `str`"),
        ({**SMALL, "dead_ends": [{"action": ""}]}, "dead_ends[0]: the field 'why_fails' is missing"),
    ],
)
def test_a_message_names_the_place(document: object, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        Record.read(document)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": 1,,}', "is not JSON: Expecting property name enclosed in double quotes in line 1, column 10"),
        (b"\xff\xfe{}", "is not UTF-8 (line 1, byte 0)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"", "is not JSON"),
        (b'{"confidence": NaN}', "NaN is not a number there"),
    ],
)
def test_a_file_that_is_no_record(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        Record.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        Record.load(tmp_path / "none.json")


def test_saving_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some-failure.json"
    Record.read(SMALL).save(path)
    assert Record.load(path).plain() == SMALL
    with pytest.raises(RecordError, match="cannot be written"):
        Record.read(SMALL).save(tmp_path / "nowhere" / "x.json")
    with pytest.raises(RecordError, match="half of a character"):
        Record.read({**SMALL, "signature": "\ud800"}).save(path)
    assert [each.name for each in tmp_path.iterdir()] == ["some-failure.json"]
    assert Record.load(path).plain() == SMALL


def test_a_file_of_an_editor_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_text(json.dumps(SMALL), encoding="utf-8-sig")
    assert Record.load(path).id == SMALL["id"]
