"""The published schema is that of the structs, is a schema, and accepts every record that there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tests.unit.knowledge.handmade_base import good_record
from traceonce.knowledge.collection import Collection
from traceonce.knowledge.record import Record
from traceonce.knowledge.schema import PUBLISHED, record_schema, schema_text
from traceonce.knowledge.validation.form import KEYWORDS, check_form

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "default", "readOnly", "additionalProperties"}


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(record_schema())
    return Draft202012Validator(record_schema())


def test_it_is_up_to_date() -> None:
    """If not: traceonce knowledge validate --schema > src/traceonce/knowledge/record.schema.json"""
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text()


def test_every_object_is_open_and_every_field_described() -> None:
    schema = record_schema()
    for definition in (schema, *schema["$defs"].values()):
        assert definition["additionalProperties"] is True
        assert definition["description"]
        assert all(field["description"].endswith(".") for field in definition["properties"].values())
        assert not {"other", "given"} & definition["properties"].keys()
    assert set(schema["properties"]) == set(Record.__struct_fields__) - {"other", "given"}
    computed = {name for name, field in schema["properties"].items() if field.get("readOnly")}
    assert {"confidence", "versions", "verification_tier", "evidence_count", "last_confirmed"} <= computed
    assert "signature" not in computed


def test_it_accepts_all_records(validator: Draft202012Validator) -> None:
    paths = [*Collection().paths.values(), *SEEDS.glob("000*")]
    assert paths
    for path in paths:
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
    validator.validate(good_record())


WRONG: list[dict[str, Any]] = [
    {"signature": 1},
    {"workarounds": [{"how": "no action"}]},
    {"dead_ends": [{"action": "no reason"}]},
    {"evidence": [{"experiment": "x"}]},
    {"confidence": "high"},
    {"tags": "one"},
    {"tags": [1]},
    {"fix_success_interval": [1]},
    {"fix_success_interval": [0, 1, 2]},
    {"resolvable": 1},
    {"evidence_count": 1.5},
    {"transition_graph": None},
    {"transition_graph": {"leads_to": {}}},
    {"versions": [{}]},
    {"id": None},
]


@pytest.mark.parametrize("change", WRONG, ids=json.dumps)
def test_what_it_refuses_is_refused_by_our_own_reader(validator: Draft202012Validator, change: dict[str, Any]) -> None:
    """We ship no validator of schemas: ours finds the same places, and reading refuses what it finds."""
    data = good_record() | change
    with pytest.raises(ValidationError):
        validator.validate(data)
    theirs = {_place(error) for error in validator.iter_errors(data)}
    record, problems = check_form(data, [], "x.json")
    assert record is None
    assert {problem.field for problem in problems} == theirs


def _place(error: ValidationError) -> str:
    steps = [*error.absolute_path]
    if error.validator == "required":
        steps.append(error.message.split("'")[1])
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def test_our_own_reader_knows_every_keyword() -> None:
    assert set(_keywords(record_schema())) <= KEYWORDS | ANNOTATIONS


def _keywords(form: dict[str, Any]) -> Iterator[str]:
    yield from form
    for name in ("properties", "$defs"):
        for inner in form.get(name, {}).values():
            yield from _keywords(inner)
    for inner in [
        *form.get("anyOf", []),
        *form.get("prefixItems", []),
        form.get("items"),
        form.get("additionalProperties"),
    ]:
        if isinstance(inner, dict):
            yield from _keywords(inner)
