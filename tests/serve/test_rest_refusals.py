"""Every request that is refused gets a fitting status and a reason, as {"detail": …}."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from traceonce.serve import knowledge_questions
from traceonce.serve.app import create_app
from traceonce.serve.computation_budget import ComputationBudget
from traceonce.serve.engine import open_engine, writing
from traceonce.serve.queries import LONGEST_TEXT, Questions
from traceonce.serve.rest import texts
from traceonce.serve.settings import ServerSettings

API = "/api/v1"
NOBODY = "0" * 32


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    database = f"sqlite:///{tmp_path_factory.mktemp('server') / 'a.sqlite3'}"
    with TestClient(create_app(ServerSettings(database=database, match_rate=0))) as client:
        yield client


def detail(answer: Any, status: int) -> str:
    """The reason; there is nothing else in the answer, and no traceback."""
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"detail"}
    reason = answer.json()["detail"]
    assert isinstance(reason, str)
    assert "Traceback" not in reason
    return reason


@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        ("/nothing", 404, "nothing at /api/v1/nothing"),
        (f"/recordings/{NOBODY}", 404, f"there is no recording '{NOBODY}'"),
        (f"/recordings/{NOBODY}/report?format=pdf", 422, "format: Input should be 'html', 'markdown'"),
        (f"/recordings/{NOBODY}/report?lang=fr", 422, "lang: Input should be 'en' or 'zh'"),
        ("/recordings/%00", 404, "there is no recording"),
        ("/recordings/..%2f..%2fetc%2fpasswd", 404, "nothing at"),
        ("/recordings?limit=0", 422, "limit: Input should be greater than or equal to 1"),
        ("/recordings?limit=1000", 422, "limit: Input should be less than or equal to 200"),
        ("/recordings?offset=-1", 422, "offset: Input should be greater than or equal to 0"),
        ("/recordings?offset=99999999999999999999", 422, "offset: Input should be less"),
        (f"/recordings?search={'x' * 201}", 422, "search: String should have at most 200 characters"),
        ("/compare", 422, "before: Field required; after: Field required"),
        (f"/compare?before={NOBODY}&after={NOBODY}", 404, "there is no recording"),
        ("/records/tensorflow/nothing-at-all", 404, "there is no record 'tensorflow/nothing-at-all'"),
        ("/records/tensorflow/%00", 404, "there is no record"),
        ("/outcomes?record=nobody", 404, "there is no record 'nobody'"),
        ("/outcomes?record=%00", 404, "there is no record"),
    ],
)
def test_reading(server: TestClient, path: str, status: int, reason: str) -> None:
    """What is not there: 404. What is asked wrongly: 422, with the name of the field."""
    assert reason in detail(server.get(API + path), status)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"", 422, "body: Field required"),
        (b"{", 422, "JSON decode error"),
        (b"[]", 422, "Input should be a valid dictionary"),
        (b"null", 422, "body: "),
        (b"{}", 422, "text: Field required"),
        (b'{"text": 3}', 422, "text: Input should be a valid string"),
        (b'{"text": ""}', 422, "text: String should have at least 1 character"),
        (b'{"text": " \\n "}', 422, "text: is empty"),
        (b'{"text": "\\ud800"}', 422, "text: Input should be a valid string"),
        (b'{"text": "\xff"}', 400, "parsing the body"),
        (b"[" * 100_000, 400, "parsing the body"),
        (b'{"text": ' + b"9" * 10_000 + b"}", 400, "parsing the body"),
        (
            json.dumps({"text": "x" * (LONGEST_TEXT + 1)}).encode(),
            413,
            "has 1,000,001 characters; the limit is 1,000,000",
        ),
        (b'{"text": "' + b"x" * 9_000_000 + b'"}', 413, "the body is too large"),
    ],
    ids=lambda value: value[:20].decode(errors="replace") if isinstance(value, bytes) else None,
)
@pytest.mark.parametrize("question", ["match", "explain"])
def test_asking(server: TestClient, question: str, body: bytes, status: int, reason: str) -> None:
    """A question that is no question, or too long a text."""
    answer = server.post(f"{API}/{question}", content=body, headers={"Content-Type": "application/json"})
    assert reason in detail(answer, status)


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_question_must_be_json(server: TestClient, kind: str | None) -> None:
    """415: a form of another site can send the others without being asked whether it may."""
    headers = {"Content-Type": kind} if kind else {}
    answer = server.post(f"{API}/match", content=b'{"text": "x"}', headers=headers)
    assert "Content-Type: application/json" in detail(answer, 415)


def test_the_longest_text_is_answered(server: TestClient) -> None:
    """Also when JSON writes every character of it with six."""
    body = json.dumps({"text": "图" * LONGEST_TEXT}).encode()
    assert len(body) > 6 * LONGEST_TEXT
    answer = server.post(f"{API}/match", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200


def loop_in_c(*_: object) -> bool:
    """What a worker does instead of matching."""
    return None in range(2**63)


def test_a_text_that_would_be_matched_for_ever(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """422, with the limit and the remedy; a short one is matched at once, and the next long one, too."""
    monkeypatch.setattr(knowledge_questions, "MATCH", ComputationBudget(0.2))
    long = {"text": "ValueError: no such thing\n" * 1_000}
    with monkeypatch.context() as patch:
        patch.setattr("traceonce.serve.text_jobs.explain", loop_in_c)
        reason = detail(server.post(f"{API}/explain", json=long), 422)
        assert "text: matching it exceeds the limit of 0 s of CPU time" in reason
        assert "`traceonce explain FILE`" in reason
        assert server.post(f"{API}/explain", json={"text": "x"}).status_code == 200
    monkeypatch.undo()
    assert server.post(f"{API}/explain", json=long).json()["unknown"] == ["ValueError: no such thing"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"record": "nobody"}, "there is no record 'nobody'"),
        ({"workaround": 0}, "workaround: Input should be greater than or equal to 1"),
        ({"workaround": 99}, "has no workaround 99; they are numbered 1 to"),
        ({"worked": "perhaps"}, "worked: Input should be a valid boolean"),
        ({"note": "x" * 2001}, "note: String should have at most 2000 characters"),
        ({"note": "a\0b"}, "note, version: must not contain NUL"),
        ({"version": "\0"}, "note, version: must not contain NUL"),
        ({"record": None}, "record: Input should be a valid string"),
    ],
)
def test_an_outcome_that_cannot_be(server: TestClient, change: dict[str, Any], reason: str) -> None:
    """The field is named, and nothing is noted."""
    outcome = {"record": "tensorflow/retracing-shape", "workaround": 1, "worked": True}
    answer = server.post(f"{API}/outcomes", json=outcome | change)
    assert reason in detail(answer, 404 if change.get("record") else 422)
    assert server.get(f"{API}/outcomes").json() == {"outcomes": []}


def test_methods_that_are_not_answered(server: TestClient) -> None:
    """405, with all those that are."""
    answer = server.put(f"{API}/match", json={})
    assert "PUT is not supported here; use POST." in detail(answer, 405)
    assert answer.headers["Allow"] == "POST"
    for path, methods in {"/recordings": "GET, POST", f"/recordings/{NOBODY}": "DELETE, GET"}.items():
        assert server.put(API + path).headers["Allow"] == methods


def test_a_database_that_is_gone(tmp_path: Path) -> None:
    """503, and a word when to try again; the reason is in the log, and not for everybody."""
    database = f"sqlite:///{tmp_path / 'a.sqlite3'}"
    with TestClient(create_app(ServerSettings(database=database))) as client:
        engine = open_engine(database)
        with writing(engine).begin() as connection:
            connection.execute(text("DROP TABLE recordings"))
        engine.dispose()
        answer = client.get(f"{API}/recordings")
    assert "the database is unavailable" in detail(answer, 503)
    assert answer.headers["Retry-After"] == "5"


def test_health_asks_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """503, with the reason: also where it does not answer at all."""
    database = f"sqlite:///{tmp_path / 'a.sqlite3'}"
    release = threading.Event()
    with TestClient(create_app(ServerSettings(database=database))) as client:
        assert client.get(f"{API}/health").json()["status"] == "ok"
        monkeypatch.setattr(texts, "DATABASE_PATIENCE", 0.05)
        with monkeypatch.context() as patch:
            patch.setattr(Questions, "check", lambda self: release.wait(60))
            silent = client.get(f"{API}/health")
            release.set()
        assert "the database did not respond within" in detail(silent, 503)
        monkeypatch.setattr(texts, "DATABASE_PATIENCE", 60.0)
        engine = open_engine(database)
        with writing(engine).begin() as connection:
            connection.execute(text("DROP TABLE digests"))
            connection.execute(text("DROP TABLE recordings"))
        engine.dispose()
        assert "the database is unavailable (OperationalError)" in detail(client.get(f"{API}/health"), 503)


def test_what_nobody_expected(
    server: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """500 without details, which are in the log."""

    def break_down(*_: object) -> None:
        raise ZeroDivisionError("a secret of the code")

    monkeypatch.setattr(Questions, "list_recordings", break_down)
    answer = server.get(f"{API}/recordings")
    assert detail(answer, 500) == "internal error; see the server's log."
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "a secret of the code" in caplog.text


def break_down(*_: object) -> None:
    """What a worker does instead of reading a recording."""
    raise ZeroDivisionError("no such thing")


def test_a_recording_that_breaks_our_own_code(
    server: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """422: what nobody can understand is not kept, and the log says where it went wrong."""
    monkeypatch.setattr("traceonce.serve.jobs.understand", break_down)
    answer = server.post(f"{API}/recordings", content=b'{"schema": "traceonce.recording/1"}')
    assert "does not fit together (ZeroDivisionError: no such thing)" in detail(answer, 422)
    assert "break_down" in caplog.text
    assert server.get(f"{API}/recordings").json()["total"] == 0
