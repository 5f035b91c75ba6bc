"""Whatever a file holds: a message that says what is wrong, never a crash, and the other files are still checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.knowledge.handmade_base import CHANGED, fields, good_record, make_base, problems_after
from traceonce.knowledge.expressions import fixed_parts
from traceonce.knowledge.validation import CheckedFile, check_files
from traceonce.knowledge.validation.form import LONGEST

UNREADABLE = {
    "broken": (b'{\n  "id": "a/b",\n  "signature" "x"\n}', ["is not JSON", "line 3, column 15", "Correct it there"]),
    "cut": (b'{"id": "a/b', ["is not JSON", "line 1"]),
    "empty": (b"", ["is not JSON"]),
    "not UTF-8": (b'{\n"id": "caf\xe9"}', ["is not UTF-8", "line 2", "Save it as UTF-8"]),
    "binary": (bytes(range(256)), ["is not UTF-8"]),
    "NaN": (b'{"confidence": NaN}', ["NaN is not a number", "Write null or a number"]),
    "deep": (b"[" * 100_000 + b"]" * 100_000, ["nested too deeply"]),
    "digits": (b'{"evidence_count": ' + b"1" * 5000 + b"}", ["out of range"]),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_file_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    good = make_base(tmp_path)
    file = tmp_path / "bad.json"
    data, words = UNREADABLE[kind]
    file.write_bytes(data)
    bad, checked = check_files([file, good], provenance=False)
    assert (bad.unreadable, checked.unreadable) == (True, False)
    assert checked.problems == []
    (problem,) = bad.problems
    assert problem.line().startswith(f"{file}: the file: ")
    for word in words:
        assert word in problem.line()


@pytest.mark.parametrize("name", ["absent.json", ".", "nul\0.json"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    (bad,) = check_files([tmp_path / name])
    assert bad.unreadable
    assert "Name a file with a record" in bad.problems[0].line()


def test_all_type_problems_are_told(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        del record["signature"]
        record["tags"] = ["fine", 7, None]
        record["versions"] = {}
        record["confidence"] = "high"
        record["fix_success_interval"] = [0.1]
        record["resolvable"] = 3
        record["transition_graph"] = [1]
        record["workarounds"][1]["how"] = None
        record["dead_ends"][0]["evidence"][0] |= {"outputs": "similar", "runs": 2.5, "cases": {"a": "yes"}}
        record["evidence_count"] = True

    problems = problems_after(tmp_path, change)
    at = "dead_ends[0].evidence[0]"
    assert sorted(fields(problems, "error")) == sorted(
        [
            "signature",
            "tags[1]",
            "tags[2]",
            "versions",
            "confidence",
            "fix_success_interval",
            "resolvable",
            "transition_graph",
            "workarounds[1].how",
            f"{at}.outputs",
            f"{at}.runs",
            f"{at}.cases.a",
            "evidence_count",
        ]
    )
    told = {problem.field: problem.what for problem in problems}
    assert told["signature"] == "the field is missing"
    assert told["confidence"] == "it is 'high'; it must be a number or null"
    assert told["evidence_count"] == "it is True; it must be a whole number"
    assert told["fix_success_interval"] == "it has 1 items; it must have 2"
    assert problems[-1].level == "note"  # that nothing else was checked


def test_a_key_that_is_given_twice(tmp_path: Path) -> None:
    """The second wins without a word elsewhere; here it is told, and the record is checked all the same."""
    file = make_base(tmp_path)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('{"id"', '{"domain": "jax", "id"', 1), encoding="utf-8")
    (problem,) = check_files([file], provenance=False)[0].problems
    assert problem.field == "domain"
    assert "given twice" in problem.what


def test_a_text_of_ten_megabytes(tmp_path: Path) -> None:
    problems = problems_after(tmp_path, lambda record: record.update(regex="a" * 10_000_000))
    assert fields(problems, "error") == ["regex"]
    assert "10,000,000 characters" in problems[0].what
    assert f"{LONGEST:,} at most" in problems[0].remedy
    assert len(problems[0].line()) < 1000


def test_an_expression_that_is_too_large_for_re2(tmp_path: Path) -> None:
    problems = problems_after(tmp_path, lambda record: record.update(regex="(?:((a{100}){100}){100})"))
    assert "RE2 refuses it" in problems[0].what
    assert problems[0].field == "regex"


def test_texts_that_no_file_can_hold(tmp_path: Path) -> None:
    problems = problems_after(tmp_path, lambda record: record.update(regex="\\u", signature="a\0b"))
    assert fields(problems, "error") == ["signature"]
    file = tmp_path / "surrogate.json"
    file.write_text('{"id": "a/b", "signature": "\\ud800", "x": 1e999}', encoding="utf-8")
    assert sorted(fields(check_files([file])[0].problems, "error")) == ["signature", "x"]


@pytest.mark.parametrize("data", ["[]", "7", '"text"', "null"])
def test_a_document_that_is_no_object(tmp_path: Path, data: str) -> None:
    file = tmp_path / "list.json"
    file.write_text(data, encoding="utf-8")
    (checked,) = check_files([file])
    assert not checked.unreadable
    assert "it must be an object" in checked.problems[0].line()


def test_nesting_that_json_still_reads(tmp_path: Path) -> None:
    problems = problems_after(tmp_path, lambda record: record.update(somebody_elses_field=nested(700)))
    assert any("nested too deeply" in problem.what for problem in problems)


@pytest.mark.parametrize("depth", [300, 900])
def test_nesting_where_a_text_belongs(tmp_path: Path, depth: int) -> None:
    problems = problems_after(tmp_path, lambda record: record.update(signature=nested(depth)))
    assert "signature" in fields(problems, "error")
    assert all(len(problem.line()) < 1000 for problem in problems)


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FUZZ = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in a base where it has neighbours."""
    return make_base(tmp_path_factory.mktemp("fuzzed")).with_name("fuzz.json")


def check_text(file: Path, text: str) -> CheckedFile:
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    (checked,) = check_files([file], provenance=False)
    for problem in checked.problems:
        assert "\n" not in problem.line()
        assert problem.remedy
    return checked


@FUZZ
@given(VALUES)
def test_any_document(fuzzed: Path, data: Any) -> None:
    assert check_text(fuzzed, json.dumps(data)).problems


@FUZZ
@given(st.text(max_size=200))
def test_any_text(fuzzed: Path, text: str) -> None:
    assert check_text(fuzzed, text).problems


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(place for key, item in inner for place in places(item, (*path, key)))]


PLACES = places(good_record())


@FUZZ
@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES | st.sampled_from(["", "(", CHANGED, [], {}])), max_size=3))
def test_a_record_with_anything_in_some_places(fuzzed: Path, changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    record = good_record()
    for path, value in changes:
        place: Any = record
        try:
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
        except (TypeError, KeyError, IndexError):
            continue  # an earlier change took the place away
    assert check_text(fuzzed, json.dumps(record)).problems  # at least, that the file has another name


@FUZZ
@given(st.text(alphabet="ab(|)[]*+?.{}\\^$:P<>is 0,", max_size=25))
def test_any_expression(fuzzed: Path, expression: str) -> None:
    fixed_parts(expression)
    check_text(fuzzed, json.dumps(good_record() | {"regex": expression, "context": expression, "regex_zh": expression}))
