"""The REST interface does what /openapi.json says, whatever it is asked: schemathesis asks, on SQLite."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import strategies as st
from pydantic import BaseModel
from schemathesis.engine import events, from_schema

from traceonce.knowledge import advice, outcomes
from traceonce.serve import models
from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORDED = Path(__file__).parents[1] / "recorded"
RECORD = "tensorflow/retracing-shape"
HOST = {"Host": "localhost"}
TOKEN = "a token that nobody guesses"

# Not asked for: that what fits the schema is accepted (any bytes are a file to it, and only a recording is one to us),
# and that what does not fit is refused (it is no fault to understand more than is promised).
CONFIG = {
    "seed": 7,
    "headers": HOST,
    "checks": {"positive_data_acceptance": {"enabled": False}, "negative_data_rejection": {"enabled": False}},
    "generation": {"max-examples": 25, "deterministic": True, "database": "none"},
    "phases": {"stateful": {"max-steps": 6}},
}


def make_app(folder: Path, token: str | None = None) -> Any:
    database = f"sqlite:///{folder / 'recordings.sqlite3'}"
    return create_app(ServerSettings(database=database, max_upload=1 << 20, match_rate=0, token=token))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with recordings in it, and an outcome."""
    with TestClient(make_app(tmp_path_factory.mktemp("described")), headers=HOST) as client:
        for file in sorted(RECORDED.glob("*.jsonl")):
            assert client.post("/api/v1/recordings", content=file.read_bytes()).status_code == 201
        outcome = {"record": RECORD, "workaround": 1, "worked": True}
        assert client.post("/api/v1/outcomes", json=outcome).status_code == 201
        yield client


def describe(client: TestClient) -> Any:
    """The interface by its own description; now and then it is asked for what schemathesis could not guess."""
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", client.app, config=schemathesis.Config.from_dict(CONFIG), headers=HOST
    )
    recordings = [(RECORDED / name).read_bytes() for name in ("healthy.jsonl", "fails.jsonl")]
    recordings.append(gzip.compress(recordings[0]))
    known = dict(zip(("domain", "slug"), RECORD.split("/"), strict=True))

    @schema.hook
    def flatmap_path_parameters(context: Any, drawn: Any) -> Any:
        return st.sampled_from([drawn, known]) if drawn and "slug" in drawn else st.just(drawn)

    @schema.hook
    def flatmap_query(context: Any, drawn: Any) -> Any:
        if context.operation.path != "/api/v1/compare":
            return st.just(drawn)
        there = client.post("/api/v1/recordings", content=recordings[0]).json()["id"]
        return st.sampled_from([drawn, {"before": there, "after": there}])

    @schema.hook
    def flatmap_body(context: Any, drawn: Any) -> Any:
        if context.operation.path == "/api/v1/recordings":
            return st.sampled_from([drawn, *recordings])
        if context.operation.path == "/api/v1/outcomes" and isinstance(drawn, dict):
            return st.sampled_from([drawn, {**drawn, "record": RECORD, "workaround": 1}])
        return st.just(drawn)

    return schema


class Asked(NamedTuple):
    """What came of it all: how often each operation was answered with each status, and what was wrong."""

    answers: Counter[tuple[str, int]]
    problems: list[str]


def ask_everything(schema: Any) -> Asked:
    """The edges of every parameter, then random values, then operations in a row that use each other's answers."""
    asked = Asked(Counter(), [])
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            asked.problems.append(str(getattr(event, "value", None) or getattr(event, "exception", event)))
        if not isinstance(event, events.ScenarioFinished):
            continue
        for key, interaction in event.recorder.interactions.items():
            assert interaction.response is not None
            label = event.recorder.cases[key].value.operation.label
            asked.answers[label, interaction.response.status_code] += 1
        for checks in event.recorder.checks.values():
            for check in checks:
                if check.failure_info is not None:
                    failure = check.failure_info.failure
                    asked.problems.append(
                        f"{check.name}: {failure.title} {failure.message}\n{check.failure_info.code_sample}"
                    )
    return asked


def test_every_answer_is_as_described(filled: TestClient) -> None:
    """No 5xx; and no status, content type, header or document that the description does not have."""
    asked = ask_everything(describe(filled))
    assert not asked.problems, "\n\n".join(asked.problems[:5])
    paths = filled.get("/openapi.json").json()["paths"]
    operations = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    succeeded = {label for label, status in asked.answers if 200 <= status < 300}
    assert succeeded == operations  # each was also asked in such a way that it did what it is there for


def test_nothing_is_told_without_the_token(tmp_path: Path) -> None:
    """Every operation, and the description itself, ask for the token; and the description says so."""
    app = make_app(tmp_path, TOKEN)
    with TestClient(app, headers=HOST) as client:
        assert client.get("/openapi.json").status_code == 401
        for path, methods in app.openapi()["paths"].items():
            for method, operation in methods.items():
                for headers in ({}, {"Authorization": "Bearer another"}, {"Authorization": TOKEN}):
                    answer = client.request(method, path.format(id="0" * 32, domain="a", slug="b"), headers=headers)
                    assert answer.status_code == 401, (method, path, headers)
                    assert answer.headers["www-authenticate"] == "Bearer"
                assert "401" in operation["responses"]
        assert client.get("/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    ("answered", "fact"), [(models.Explanation, advice.Explanation), (models.Outcome, outcomes.Outcome)]
)
def test_what_repeats_a_fact_has_all_of_it(answered: type[BaseModel], fact: type[msgspec.Struct]) -> None:
    """The same fields in the same order, with the same defaults."""
    wanted = {field.name: field.required for field in msgspec.structs.fields(fact)}
    assert {name: field.is_required() for name, field in answered.model_fields.items()} == wanted
    assert list(answered.model_fields) == list(wanted)
