"""The flat and the nested form: nothing is lost between them, and nothing bad is taken over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traceonce.errors import RecordError
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.exchange import (
    IN_FLAT,
    IN_NESTED,
    PLACES,
    check_id,
    convert,
    form_of,
    same,
    to_flat,
    to_nested,
)
from traceonce.knowledge.intake import Importer, read_documents, write_all
from traceonce.knowledge.record import Record
from traceonce.knowledge.remainder import apply_difference, difference, is_difference

SEEDS = Path(__file__).parents[3].parent / "shared" / "seeds"


def nested_record(**changes: Any) -> dict[str, Any]:
    """A record as public bases have it, with fields that we know nothing of at every level."""
    return {
        "schema_version": "1.0.0",
        "id": "tensorflow/cache-full/tf2-linux",
        "url": "https://example.org/tensorflow/cache-full/tf2-linux",
        "error": {
            "signature": "Cache is full",
            "regex": "Cache is (?:full|almost full)",
            "domain": "tensorflow",
            "category": "resource_error",
            "first_seen": "2025-01-01",
            "last_confirmed": "2025-02-01",
            "severity": 3,
        },
        "environment": {"runtime": {"name": "tensorflow", "version_range": ">=2.0"}, "os": "linux", "hardware": {}},
        "verdict": {
            "resolvable": "partial",
            "fix_success_rate": 0.8,
            "confidence": 0.7,
            "last_updated": "2025-02-01",
            "summary": "The cache holds what it was given.",
            "mood": None,
        },
        "dead_ends": [{"action": "Wait.", "why_fails": "It stays.", "fail_rate": 0.9, "common_misconception": "no"}],
        "workarounds": [{"action": "Empty it.", "success_rate": 1, "how": "cache.clear()", "tradeoff": "a cold start"}],
        "transition_graph": {
            "leads_to": [{"error_id": "tensorflow/slow/tf2-linux", "probability": 0.4, "condition": ""}],
            "preceded_by": [{"error_id": "tensorflow/warm/any"}],
            "frequently_confused_with": [],
            "seen": 12,
        },
        "metadata": {
            "generated_by": "somebody",
            "generation_date": "2025-02-01",
            "review_status": "community_verified",
            "evidence_count": 2,
            "page_views": 7,
        },
        "extra": [1, {"a": None}],
        **changes,
    }  # fmt: skip


def flat_record(**changes: Any) -> dict[str, Any]:
    return {
        "id": "tensorflow/cache-full",
        "signature": "Cache is full",
        "signature_zh": "缓存已满",
        "domain": "tensorflow",
        "root_cause": "It holds too much.",
        "versions": [{"version": "TensorFlow 2.21.0", "odd": 1}],
        "verification_tier": "verified",
        "transition_graph": {"leads_to": ["tensorflow/slow", {"id": "x"}], "preceded_by": []},
        "unknown": {"deep": [True, 1, 1.0]},
        **changes,
    }


def test_the_fields_go_to_their_places() -> None:
    flat = to_flat(nested_record())
    assert flat["id"] == "tensorflow/cache-full"
    assert flat["root_cause"] == "The cache holds what it was given."
    assert flat["verification_tier"] == "documented"  # reviewed by people; not run by us
    assert flat["transition_graph"]["leads_to"][0]["error_id"] == "tensorflow/slow"
    assert flat["transition_graph"]["preceded_by"] == ["tensorflow/warm"]
    record = Record.read(flat)
    assert record.workarounds[0].other == {"tradeoff": "a cold start"}
    assert (record.fix_success_rate, record.last_updated, record.evidence_count) == (0.8, "2025-02-01", 2)
    nested = to_nested(flat_record())
    assert nested["id"] == "tensorflow/cache-full/any"
    assert nested["verdict"]["summary"] == "It holds too much."
    assert nested["metadata"]["review_status"] == "community_verified"
    assert nested["transition_graph"]["leads_to"][0] == {"error_id": "tensorflow/slow/any"}


@pytest.mark.parametrize("name_environment", [False, True])
def test_nested_comes_back_as_it_was(name_environment: bool) -> None:
    flat = to_flat(nested_record(), name_environment=name_environment)
    assert same(to_nested(flat), nested_record())


def test_flat_comes_back_as_it_was() -> None:
    assert same(to_flat(to_nested(flat_record())), flat_record())


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not here")
def test_the_seed_comes_back_as_it_was() -> None:
    seed = json.loads(sorted(SEEDS.iterdir())[0].read_text())
    nested = to_nested(seed)
    assert nested["id"] == "tensorflow/tf-function-recompilation-cache-limit/any"
    assert same(to_flat(nested), seed)


def test_what_is_changed_in_between_is_kept() -> None:
    """The remainder holds what has no other place; it does not hold the rest fast."""
    flat = to_flat(nested_record())
    nested = to_nested({**flat, "root_cause": "Something else."})
    assert nested["verdict"]["summary"] == "Something else."
    assert nested["environment"] == nested_record()["environment"]
    exported = to_nested(flat_record())
    edited = to_flat({**exported, "verdict": {**exported["verdict"], "summary": "New."}, "views": 3})
    assert (edited["root_cause"], edited["signature_zh"]) == ("New.", "缓存已满")
    assert to_nested(edited)["views"] == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab/é", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
IDS = st.sampled_from(["a/b", "a/b/any", "a/b/c", "a", "", "a/b/c/d"])
STEPS = JSON | IDS | st.fixed_dictionaries({"error_id": IDS | JSON}, optional={"probability": JSON})
WAYS = st.sampled_from(["leads_to", "preceded_by", "frequently_confused_with", "a"])
GRAPH = st.dictionaries(WAYS, JSON | st.lists(STEPS, max_size=2))
CHANGES = st.recursive(
    st.fixed_dictionaries({"be": JSON | IDS}),
    lambda inner: st.fixed_dictionaries({}, optional={
        "set": st.dictionaries(st.sampled_from(["id", "signature", IN_FLAT, IN_NESTED, "a"]), JSON, max_size=2),
        "drop": st.lists(st.sampled_from(["id", "error", "a"]), max_size=2),
        "in": st.dictionaries(st.sampled_from(["id", "error", "a", IN_FLAT]), inner, max_size=2),
    }),
    max_leaves=4,
)  # fmt: skip
REMAINDERS = {IN_FLAT: JSON | CHANGES, IN_NESTED: JSON | CHANGES}
COMMON = {"id": IDS | JSON, "transition_graph": GRAPH | JSON, "dead_ends": JSON, "workarounds": JSON, "a": JSON}
FLAT = st.fixed_dictionaries(
    {"signature": st.text("ab")},
    optional=COMMON | REMAINDERS | {name: JSON for name in PLACES if name != "signature"} | {
        "verification_tier": JSON | st.sampled_from(["verified", "ai_generated", "documented"]), "versions": JSON},
)  # fmt: skip
GROUP = st.dictionaries(
    st.sampled_from([field for _, field in PLACES.values()] + ["review_status", "b"]), JSON, max_size=4
)
NESTED = st.fixed_dictionaries(
    {"error": GROUP},
    optional=COMMON
    | REMAINDERS
    | {"verdict": GROUP | JSON, "metadata": GROUP | JSON, "environment": JSON, "url": JSON},
)


@settings(max_examples=400, deadline=None)
@given(nested=NESTED)
def test_any_nested_record_survives(nested: dict[str, Any]) -> None:
    assert same(to_nested(to_flat(nested)), nested)
    assert same(to_nested(to_flat(nested, name_environment=True)), nested)


@settings(max_examples=400, deadline=None)
@given(flat=FLAT)
def test_any_flat_record_survives(flat: dict[str, Any]) -> None:
    assert same(to_flat(to_nested(flat)), flat)


@given(one=JSON, other=JSON)
def test_a_difference_applied_gives_the_other(one: Any, other: Any) -> None:
    change = difference(one, other)
    assert bool(change) != same(one, other)
    assert not change or (is_difference(change) and same(apply_difference(one, change), other))


def test_numbers_and_truth_values_are_not_confused() -> None:
    assert not same(1, True)
    assert difference({"a": 1}, {"a": True}) == {"in": {"a": {"be": True}}}


def test_the_report_names_what_was_mapped_and_what_was_kept() -> None:
    converted = convert(nested_record(), "flat")
    assert {"error.signature", "verdict.summary", "workarounds", "metadata.evidence_count"} <= set(converted.mapped)
    assert {"environment.os", "error.severity", "verdict.mood", "metadata.page_views", "extra"} <= set(converted.kept)
    assert not set(converted.mapped) & set(converted.kept)
    back = convert(flat_record(), "nested")
    assert {"signature_zh", "versions", "unknown"} <= set(back.kept)
    assert {"id", "signature", "root_cause"} <= set(back.mapped)


@pytest.mark.parametrize("data", [{}, [], None, "x", {"error": "a"}, {"signature": 3}])
def test_what_is_no_record_is_refused(data: Any) -> None:
    with pytest.raises(RecordError, match="neither 'signature'"):
        form_of(data)


BAD_IDS = ["../etc", "a/..", "/etc/passwd", "a/b/c", "a", "", "a//b", "A/b", "a/.b", "a/b.", "a/b..c", "a/b c",
           "a\\b/c", "a/" + "b" * 121,
           "a/b\n", "a/é", "a/b\0", "-a/b", 3, None]  # fmt: skip


@pytest.mark.parametrize("name", BAD_IDS)
def test_an_id_that_is_no_plain_name_is_refused(name: Any) -> None:
    with pytest.raises(RecordError, match="id: "):
        check_id(name)


# --- files


def write(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def test_import_makes_a_base(tmp_path: Path) -> None:
    base = tmp_path / "new" / "base"
    file = write(tmp_path / "in.json", nested_record())
    taken = Importer(base).take(file)
    assert taken.refused == []
    assert taken.written == [("tensorflow/cache-full", base / "records" / "tensorflow" / "cache-full.json")]
    assert {"workarounds[].tradeoff", "dead_ends[].common_misconception", "url"} <= set(taken.kept)
    record = Collection(base).find("cache-full")
    assert same(to_nested(json.loads(record.to_json())), nested_record(workarounds=[
        {"action": "Empty it.", "success_rate": 1.0, "how": "cache.clear()", "tradeoff": "a cold start"}]))  # fmt: skip


@pytest.mark.parametrize("records", [[nested_record()], [[flat_record(), flat_record(id="a/b")]],
                                     [flat_record(), nested_record(id="a/b/c")]])  # fmt: skip
def test_one_a_list_or_lines(tmp_path: Path, records: list[Any]) -> None:
    taken = Importer(tmp_path / "base").take(write(tmp_path / "in.json", *records))
    assert taken.refused == []
    assert len(taken.written) == len(records[0]) if isinstance(records[0], list) else len(records)


def test_the_same_name_in_two_environments_makes_two_records(tmp_path: Path) -> None:
    other = nested_record(id="tensorflow/cache-full/tf1-linux")
    file = write(tmp_path / "in.json", nested_record(), other)
    importer = Importer(tmp_path / "base")
    assert [name for name, _ in importer.take(file).written] == [
        "tensorflow/cache-full",
        "tensorflow/cache-full-tf1-linux",
    ]
    path = tmp_path / "base/records/tensorflow/cache-full-tf1-linux.json"
    assert to_nested(json.loads(path.read_text()))["id"] == other["id"]
    again = Importer(tmp_path / "base").take(file)
    assert len(again.refused) == 2
    assert "use --force" in again.refused[0]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    file = write(tmp_path / "in.json", flat_record())
    Importer(tmp_path / "base").take(file)
    path = tmp_path / "base/records/tensorflow/cache-full.json"
    path.write_text("mine")
    taken = Importer(tmp_path / "base").take(file)
    assert "already exists" in taken.refused[0]
    assert path.read_text() == "mine"
    assert not Importer(tmp_path / "base", force=True).take(file).refused
    assert json.loads(path.read_text()) == flat_record()


def test_of_a_file_all_or_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "in.json", flat_record(), flat_record(id="../../evil"), flat_record(id="a/b", tags=3))
    taken = Importer(tmp_path / "base").take(file)
    assert taken.written == []
    assert [reason.split(": ")[1] for reason in taken.refused] == ["id", "tags"]
    assert taken.refused[0].startswith(f"{file}:2: ")
    assert not (tmp_path / "base").exists()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    taken = Importer(tmp_path / "base", dry_run=True).take(write(tmp_path / "in.json", flat_record()))
    assert len(taken.written) == 1
    assert not (tmp_path / "base").exists()


def test_what_was_written_is_taken_back_where_the_rest_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("old")
    contents = {tmp_path / "a": "new", tmp_path / "there": "new", tmp_path / "b": "new"}
    with pytest.raises(RecordError, match="cannot be written"):
        write_all(contents, overwrite=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there"]
    assert (tmp_path / "there").read_text() == "old"
    (tmp_path / "b").mkdir()
    with pytest.raises(RecordError, match="cannot be"):
        write_all(contents, overwrite=True)
    assert (tmp_path / "there").read_text() == "old"
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(("text", "reason"), [
    (b"{", "is not JSON"),
    (b"", "is not JSON"),
    (b'{"a": 1}\n{"b": }', ":2: is not JSON"),
    (b"\xff\xfe", "is not UTF-8"),
    (b'{"a": NaN}', "NaN"),
    (b'{"a": 1e999}', "out of range"),
    (b'{"a": ' + b"9" * 5000 + b"}", "out of range"),
    (b'{"a": "\\ud800"}', "half of a character"),
    (b'{"a": 1, "a": 2}', "'a' twice"),
    (b"[" * 100_000, "nested too deeply"),
    (b"[]", "no record"),
    (b'{"signature": "s"}', "id: is missing"),
    (b'"text"', "neither"),
])  # fmt: skip
def test_bad_files(tmp_path: Path, text: bytes, reason: str) -> None:
    file = tmp_path / "in.json"
    file.write_bytes(text)
    taken = Importer(tmp_path / "base").take(file)
    assert len(taken.refused) == 1
    assert reason in taken.refused[0]
    assert str(file) in taken.refused[0]
    assert not (tmp_path / "base").exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        read_documents(tmp_path / "none.json")
