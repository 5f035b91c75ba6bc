"""The tools over streamable HTTP: a real server, the SDK's own client, and those who should not get in."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import mcp.types as types
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient

from traceonce.serve.app import create_app
from traceonce.serve.settings import ServerSettings

RECORDED = Path(__file__).parents[1] / "recorded"
TOKEN = "a token that nobody guesses"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Served(NamedTuple):
    """A server that runs, and how to get in."""

    base: str
    headers: dict[str, str]

    def ask(self, *calls: tuple[str, dict[str, Any]], mode: str = "auto") -> list[types.CallToolResult]:
        async def talk() -> list[types.CallToolResult]:
            async with (
                httpx2.AsyncClient(headers=self.headers) as http,
                Client(streamable_http_client(f"{self.base}/mcp", http_client=http), mode=mode) as client,
            ):
                return [await client.call_tool(name, arguments) for name, arguments in calls]

        return anyio.run(talk)

    def upload(self, name: str) -> str:
        data = (RECORDED / f"{name}.jsonl").read_bytes()
        answer = httpx2.post(
            f"{self.base}/api/v1/recordings", params={"name": name}, content=data, headers=self.headers
        )
        answer.raise_for_status()
        return str(answer.json()["id"])


@contextlib.contextmanager
def serving(settings: ServerSettings) -> Iterator[Served]:
    """A server on a free port, until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    headers = {"Authorization": f"Bearer {settings.token}"} if settings.token else {}
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", headers)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    database = tmp_path_factory.mktemp("server") / "server.sqlite3"
    with serving(ServerSettings(database=f"sqlite:///{database}", token=TOKEN)) as served:
        yield served


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_conversation(served: Served, mode: str) -> None:
    """By the protocol of today, and by the one before: every tool, on uploaded recordings."""
    older, newer = served.upload("translate_fixed"), served.upload("wall")
    findings, fixes, explained, found, record, noted, unknown, listed = served.ask(
        ("recording_findings", {}),
        ("propose_fix", {"recording": older, "function": "train_step"}),
        ("explain_error", {"text": "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"}),
        ("search_records", {"query": "batch"}),
        ("get_record", {"id": "retracing-shape", "language": "zh"}),
        ("report_outcome", {"record": "retracing-shape", "workaround": 2, "worked": True}),
        ("recording_findings", {"recording": "0" * 32}),
        ("list_recordings", {"limit": 1}),
        mode=mode,
    )
    for result in (findings, fixes, explained, found, record, noted):
        assert not result.is_error, text_of(result)
        assert result.structured_content
    assert findings.structured_content is not None
    assert findings.structured_content["recording"] == newer
    assert fixes.structured_content is not None
    assert fixes.structured_content["fixes"][0]["status"] == "proved"
    assert unknown.is_error
    assert "There is no recording" in text_of(unknown)
    assert "list_recordings lists them" in text_of(unknown)
    assert listed.structured_content is not None
    assert [line["recording"] for line in listed.structured_content["recordings"]] == [newer]


def test_no_path_reaches_the_files_of_the_server(served: Served, tmp_path: Path) -> None:
    """What names a file here is no recording there, and it is not said whether the file exists."""
    (tmp_path / "run.jsonl").write_bytes((RECORDED / "wall.jsonl").read_bytes())
    names = [
        str(tmp_path / "run.jsonl"),
        "../../run.jsonl",
        "/etc/passwd",
        "wall.jsonl",
        "file:///etc/passwd",
        "%2e%2e/x",
    ]
    for name, result in zip(
        names, served.ask(*[("recording_findings", {"recording": name}) for name in names]), strict=True
    ):
        assert result.is_error
        assert text_of(result).startswith(f"There is no recording {name[:40]!r};")


def test_who_gets_in(served: Served) -> None:
    """Without the token nothing is answered; a page of another site is sent away; a body has a limit."""

    def post(headers: dict[str, str], content: bytes | None = None) -> int:
        body: dict[str, Any] = {"json": LIST} if content is None else {"content": content}
        return httpx2.post(f"{served.base}/mcp", headers={**ACCEPT, **headers}, **body).status_code

    json = {"Content-Type": "application/json"}
    assert post(served.headers) == 200
    assert post({}) == 401
    assert post({"Authorization": "Bearer wrong"}) == 401
    assert post({**served.headers, "Origin": "http://evil.example"}) == 403
    assert post({**served.headers, **json}, b" " * (5 << 20)) == 413
    assert post({**served.headers, **json}, b"[" * 100_000) == 400
    assert post({**served.headers, **json}, b'{"jsonrpc": "2.0"') == 400
    answer = httpx2.get(f"{served.base}/mcp", headers=served.headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "point an agent at this address" in answer.json()["detail"]


def test_another_name_for_this_machine(tmp_path: Path) -> None:
    """Without a token the server answers to its own names only, so that no site can have a browser ask it."""
    settings = ServerSettings(database=f"sqlite:///{tmp_path}/server.sqlite3", hosts=("127.0.0.1",))
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        assert client.post("/mcp", json=LIST, headers=ACCEPT).status_code == 200
        assert client.post("/mcp", json=LIST, headers={**ACCEPT, "Host": "rebound.example"}).status_code == 421


def test_an_application_that_is_started_again(tmp_path: Path) -> None:
    """It answers while it runs, each time, and says so when it does not."""
    app = create_app(ServerSettings(database=f"sqlite:///{tmp_path}/server.sqlite3"))
    for _ in range(2):
        with TestClient(app) as client:
            answer = client.post("/mcp", json=LIST, headers=ACCEPT)
            assert len(answer.json()["result"]["tools"]) == 7
    stopped = TestClient(app).post("/mcp", json=LIST, headers=ACCEPT)
    assert (stopped.status_code, stopped.json()) == (503, {"detail": "the server is starting or stopping; try again."})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_matching_is_not_for_a_crowd(tmp_path: Path, mode: str) -> None:
    """A client that asks about texts without a pause is told to wait; what costs little is still answered."""
    settings = ServerSettings(database=f"sqlite:///{tmp_path}/server.sqlite3", match_rate=0.001)
    question = ("explain_error", {"text": "some error"})
    with serving(settings) as served:
        first, second, other = served.ask(question, question, ("search_records", {}), mode=mode)
    assert not first.is_error
    assert second.is_error
    assert text_of(second).startswith("Too many questions; ask again in ")
    assert not other.is_error


def test_it_is_not_part_of_the_rest_interface(served: Served) -> None:
    """OpenAPI describes what is not MCP."""
    assert "/mcp" not in httpx2.get(f"{served.base}/openapi.json", headers=served.headers).json()["paths"]
