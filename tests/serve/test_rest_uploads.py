"""Uploads: what is kept, what is refused and why, and that nothing in one is ever more than data."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request
from starlette.types import Message

from traceonce.serve.app import create_app
from traceonce.serve.request_errors import BusyError
from traceonce.serve.settings import ServerSettings
from traceonce.serve.upload_body import AT_ONCE, PATIENCE, Receiving

Recorded = Callable[[str], bytes]
UPLOADS = "/api/v1/recordings"
LARGEST = 300_000  # bytes that the small server takes


def send(client: TestClient, data: bytes | Iterator[bytes], **headers: str) -> Any:
    return client.post(UPLOADS, content=data, headers=headers)


def stored(client: TestClient) -> int:
    return int(client.get(UPLOADS, params={"limit": 1}).json()["total"])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that takes little."""
    database = f"sqlite:///{tmp_path_factory.mktemp('small') / 'a.sqlite3'}"
    with TestClient(create_app(ServerSettings(database=database, max_upload=LARGEST))) as client:
        yield client


def test_the_same_bytes_again_are_the_one_that_is_there(client: TestClient, recorded: Recorded) -> None:
    """201 the first time, 200 after that, also for the same bytes in gzip; then it is stored once."""
    data = recorded("fails")
    first = send(client, data)
    before = stored(client)
    again = [send(client, data), send(client, gzip.compress(data)), send(client, gzip.compress(data, 1))]
    assert first.status_code == 201
    assert [answer.status_code for answer in again] == [200, 200, 200]
    assert all(answer.json() == first.json() for answer in again)
    assert stored(client) == before


@pytest.mark.parametrize("parts", [1, 3])
def test_gzip_is_unpacked(client: TestClient, recorded: Recorded, parts: int) -> None:
    """Also gzip that was written in parts; what is kept is what was in it."""
    data = recorded("lengths") + b"\n" * parts
    third = len(data) // parts + 1
    packed = b"".join(gzip.compress(data[start : start + third]) for start in range(0, len(data), third))
    answer = send(client, packed, **{"content-encoding": "gzip"})
    assert answer.status_code == 201
    assert client.get(f"{UPLOADS}/{answer.json()['id']}/raw").content == data


def test_the_json_report_is_a_recording_too(client: TestClient, recorded: Recorded) -> None:
    """It can be uploaded in its place, and says the same."""
    first = send(client, recorded("limited")).json()
    report = client.get(f"{UPLOADS}/{first['id']}/report", params={"format": "json"}).content
    second = send(client, report).json()
    same = ("command", "seconds", "functions", "traces", "lost_seconds", "worst", "environment")
    assert {key: first[key] for key in same} == {key: second[key] for key in same}


def test_a_recording_that_was_cut_short_is_kept(client: TestClient, recorded: Recorded) -> None:
    """As `traceonce report` would read it: what came before the cut counts."""
    answer = send(client, recorded("wall")[:40_000])
    assert answer.status_code == 201
    assert 0 < answer.json()["traces"] < 120
    notices = client.get(f"{UPLOADS}/{answer.json()['id']}/findings").json()["notices"]
    assert any("cut short" in notice["text"] for notice in notices)


def hostile_bodies() -> dict[str, tuple[bytes, str]]:
    """Bodies that are no recording, and what is said of them."""
    event = {"id": 1, "backend": "b", "function": {"name": "f"}, "signature": {"leaves": []}, "start": 1.0}
    report = {"schema": "traceonce.recording/1", "events": []}
    return {
        "nothing": (b"", "is empty"),
        "white space": (b" \n\t\n", "is empty"),
        "no JSON": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "not a traceonce recording"),
        "another JSON": (b'{"hello": "world"}', "field 'schema'"),
        "a list": (b"[1, 2]", "field 'schema'"),
        "a later schema": (b'{"schema": "traceonce.recording/9"}', "this traceonce reads"),
        "deep lists": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        "deep objects": (b'{"schema":' * 100_000, "nested too deeply"),
        "wrong types": (json.dumps(report | {"events": 3}).encode(), "events"),
        "a number for a name": (json.dumps(report | {"command": [1]}).encode(), "command"),
        "NaN": (json.dumps(report | {"seconds": float("nan")}).encode(), "not a traceonce recording"),
        "an infinite number": (b'{"schema": "traceonce.recording/1", "seconds": 1e999}', "not a traceonce recording"),
        "too many digits": (b'{"schema": "traceonce.recording/1", "exit_code": ' + b"9" * 9000 + b"}", "recording"),
        "a whole number beyond all": (
            json.dumps(report | {"events": [event | {"bytes": 10**400}]}).encode(),
            "contains a number that is out of range",
        ),
        "half a character": (b'{"schema": "traceonce.recording/1", "cwd": "\\ud800"}', "not a traceonce recording"),
        "no UTF-8": (b'{"schema": "traceonce.recording/1", "cwd": "\xff"}', "not a traceonce recording"),
        "times beyond numbers": (
            json.dumps(
                report
                | {
                    "events": [
                        event | {"id": number, "phase": "retrace", "exclusive_seconds": 1.7e308} for number in range(3)
                    ]
                }
            ).encode(),
            "not finite numbers",
        ),
        "damaged gzip": (b"\x1f\x8b" + b"\0" * 50, "damaged gzip"),
        "gzip cut short": (gzip.compress(b"x" * 10_000)[:-20], "damaged gzip"),
        "gzip of nothing": (gzip.compress(b""), "is empty"),
    }


@pytest.mark.parametrize("what", hostile_bodies())
def test_what_is_no_recording_is_refused(client: TestClient, what: str) -> None:
    """422, with the reason; nothing is kept of it."""
    data, reason = hostile_bodies()[what]
    before = stored(client)
    answer = send(client, data)
    assert answer.status_code == 422, answer.text
    assert reason in answer.json()["detail"]
    assert stored(client) == before


def test_too_large_by_its_own_word(small: TestClient) -> None:
    """413 before the body is read."""
    answer = send(small, b" " * (LARGEST + 1))
    assert answer.status_code == 413
    assert "the limit is 300,000 bytes. For recordings, see traceonce serve --max-upload" in answer.json()["detail"]


def test_too_large_without_a_word(small: TestClient) -> None:
    """413 as soon as too much has come, where no header says how much will."""
    came = 0

    def pieces() -> Iterator[bytes]:
        nonlocal came
        while came < 100 * LARGEST:
            came += 10_000
            yield b" " * 10_000

    answer = send(small, pieces())
    assert answer.status_code == 413
    assert "too large" in answer.json()["detail"]


def test_too_large_when_it_is_unpacked(small: TestClient) -> None:
    """413 for a small body that gzip would make large; it is not unpacked beyond the limit."""
    answer = send(small, gzip.compress(bytes(200 * LARGEST)))
    assert answer.status_code == 413
    assert "when unpacked" in answer.json()["detail"]


def test_as_large_as_allowed(small: TestClient, recorded: Recorded) -> None:
    """The limit itself is within the limit, packed or not."""
    data = recorded("healthy")
    data += b"\n" * (LARGEST - len(data))
    assert send(small, data).status_code == 201
    assert send(small, gzip.compress(data)).status_code == 200


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "application/octet-stream", "text/plain", ""])
def test_a_file_may_be_called_anything(small: TestClient, recorded: Recorded, kind: str) -> None:
    """`curl --data-binary` calls every body a form, and browsers guess."""
    assert send(small, recorded("healthy"), **{"content-type": kind}).status_code in (200, 201)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"content-type": "multipart/form-data; boundary=x"}, "send the file itself as the body, not a form"),
        ({"content-encoding": "br"}, "only the content encoding gzip is supported"),
    ],
)
def test_other_kinds_of_body(small: TestClient, recorded: Recorded, headers: dict[str, str], reason: str) -> None:
    """415 with what to send instead."""
    answer = send(small, recorded("healthy"), **headers)
    assert answer.status_code == 415
    assert reason in answer.json()["detail"]


def test_no_file_is_read_by_a_name_in_a_recording(small: TestClient, recorded: Recorded, tmp_path: Path) -> None:
    """Functions and call sites may name any file of the server: it is shown as a name, and never opened."""
    secret = tmp_path / "secret.py"
    secret.write_text("TOP_SECRET = 'swordfish'\n" * 200)
    data = recorded("anew").replace(b'"file":"anew.py"', json.dumps({"file": str(secret)})[1:-1].encode())
    assert str(secret).encode() in data
    without_source = b"\n".join(line for line in data.split(b"\n") if b'"entry":"excerpt' not in line)
    answer = send(small, without_source)
    assert answer.status_code == 201, answer.text
    for form in ("html", "markdown", "json", "sarif", "chrome", "csv", "text"):
        report = small.get(f"{UPLOADS}/{answer.json()['id']}/report", params={"format": form})
        assert report.status_code == 200
        assert "swordfish" not in report.text, form


def test_names_are_shown_and_nothing_else(small: TestClient, recorded: Recorded) -> None:
    """A function named like a script is escaped in every page, and whole in data."""
    evil = "<script>alert(1)</script>"
    data = (
        recorded("anew")
        .replace(b"fit.<locals>.step", evil.encode())
        .replace(b'["anew.py"]', json.dumps([evil]).encode())
    )
    assert data.count(evil.encode()) > 1
    summary = small.post(UPLOADS, params={"name": evil}, content=data).json()
    assert summary["name"] == evil
    page = small.get(f"{UPLOADS}/{summary['id']}/report")
    assert evil not in page.text
    assert evil in str(small.get(f"{UPLOADS}/{summary['id']}/findings").json())
    assert small.get(f"{UPLOADS}/{summary['id']}/findings").headers["content-type"] == "application/json"


def request_of(receive: Callable[[], Any]) -> Request:
    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def test_a_body_does_not_lie_in_memory(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in a file while it is needed, and gone after that, whatever happened."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def receive() -> Message:
        return {"type": "http.request", "body": gzip.compress(recorded("healthy")), "more_body": False}

    async def take() -> bytes:
        async with Receiving(LARGEST).body_of(request_of(receive)) as sent:
            assert sent.path.is_relative_to(tmp_path)
            data = sent.path.read_bytes()
            assert (sent.size, sent.sha256) == (len(data), hashlib.sha256(data).hexdigest())
            return data

    assert anyio.run(take) == recorded("healthy")
    assert list(tmp_path.iterdir()) == []


def test_only_so_many_uploads_are_taken_at_once() -> None:
    """Others wait before theirs are taken; and whoever has waited too long is told to come again."""
    taken = 0

    async def receive() -> Message:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x", "more_body": False}

    async def hold(receiving: Receiving, release: anyio.Event) -> None:
        async with receiving.body_of(request_of(receive)):
            await release.wait()

    async def crowd() -> list[int]:
        receiving, release = Receiving(LARGEST), anyio.Event()
        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(hold, receiving, release)
            while taken < AT_ONCE:
                await anyio.sleep(0.01)
            receiving.patience = 0.01
            with pytest.raises(BusyError, match="too many uploads are in progress"):
                await hold(receiving, release)
            receiving.patience = PATIENCE
            before = taken
            release.set()
        await hold(receiving, release)
        return [before, taken]

    assert anyio.run(crowd) == [AT_ONCE, AT_ONCE + 1]


def test_a_recording_that_would_take_minutes_is_refused(client: TestClient, recorded: Recorded) -> None:
    """413, with what there is too much of, how much is taken, and what to do."""
    header = recorded("lengths").splitlines()[0]
    sections = b"".join(header.replace(b'"process":"', b'"process":"%d' % number) + b"\n" for number in range(600))
    answer = send(client, sections)
    assert answer.status_code == 413
    assert "has 600 processes; the limit here is 500" in answer.json()["detail"]
    assert "`traceonce report FILE`" in answer.json()["detail"]
