"""`traceonce mcp` as an agent starts it: a process of its own, spoken to on standard input and output."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import anyio
import mcp.types as types
import pytest
from mcp import Client, StdioServerParameters

import traceonce

RECORDED = Path(__file__).parents[1] / "recorded"
COMMAND = [sys.executable, "-m", "traceonce", "mcp"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own, with one recording in it."""
    folder = tmp_path / "home" / "recordings"
    folder.mkdir(parents=True)
    shutil.copyfile(RECORDED / "wall.jsonl", folder / "wall.jsonl")
    return {**os.environ, "TRACEONCE_HOME": str(tmp_path / "home")}


def test_a_conversation(environment: dict[str, str], tmp_path: Path) -> None:
    """All that an agent does in one piece of work, by the protocol of today."""
    shutil.copyfile(RECORDED / "translate_fixed.jsonl", tmp_path / "run.jsonl")
    start = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment, cwd=tmp_path)

    async def talk() -> list[types.CallToolResult]:
        async with Client(start) as client:
            assert client.server_info.name == "traceonce"
            assert client.server_info.version == traceonce.__version__
            assert "'latest' (the last run on this machine)" in (client.instructions or "")
            assert len((await client.list_tools()).tools) == 7
            assert len((await client.list_resources()).resources) >= 53
            async with anyio.create_task_group() as both:  # what answers is opened once, however many ask first
                both.start_soon(client.call_tool, "search_records")
                both.start_soon(client.call_tool, "search_records")
            return [
                await client.call_tool("recording_findings"),
                await client.call_tool("propose_fix", {"recording": "run.jsonl", "function": "train_step"}),
                await client.call_tool("explain_error", {"text": "ValueError: x\n" * 10_000}),
                await client.call_tool("report_outcome", {"record": "retracing-rank", "workaround": 1, "worked": True}),
                await client.call_tool("get_record", {"id": "retracing-rank"}),
                await client.call_tool("recording_findings", {"recording": "/etc/passwd"}),
            ]

    findings, fixes, explained, noted, record, refused = anyio.run(talk)
    for result in (findings, fixes, explained, noted, record):
        assert result.structured_content is not None
        assert not result.is_error
    assert findings.structured_content is not None
    assert findings.structured_content["functions"][0]["name"] == "score"
    assert fixes.structured_content is not None
    assert fixes.structured_content["fixes"][0]["status"] == "proved"
    assert record.structured_content is not None
    assert record.structured_content["outcomes"] == [noted.structured_content]
    assert refused.is_error
    assert isinstance(refused.content[0], types.TextContent)
    assert refused.content[0].text.startswith("/etc/passwd: is not a traceonce recording")
    assert (tmp_path / "home" / "outcomes.sqlite3").is_file()


def test_nothing_but_the_protocol_on_standard_output(environment: dict[str, str]) -> None:
    """Spoken by hand, as clients of some years ago do: each line out is an answer, also to what is no question."""
    asked = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recording_findings", "arguments": {}}},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "search_records", "arguments": {"n": 1}},
        },
        {"jsonrpc": "2.0", "id": 4, "method": "no/such/method"},
    ]
    lines = [json.dumps(message) for message in asked]
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join([*lines[:2], "this is no JSON", *lines[2:], ""]))
        process.stdin.flush()
        answers: dict[int, Any] = {}
        while len(answers) < 4:  # a line that is no JSON, or the end, is an error here
            answer = json.loads(process.stdout.readline())
            if answer.get("id") is not None:
                answers[answer["id"]] = answer
        rest, errors = process.communicate()
    assert answers[1]["result"]["protocolVersion"] == "2024-11-05"
    assert "score: retracing" in answers[2]["result"]["content"][0]["text"]
    assert "unknown field `n`" in answers[3]["result"]["content"][0]["text"]
    assert answers[3]["result"]["isError"] is True
    assert answers[4]["error"]["code"] == types.METHOD_NOT_FOUND
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in errors


def test_an_agent_that_is_done(environment: dict[str, str]) -> None:
    """Some interrupt what they started: that ends it at once, although a thread waits for the next line."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(ping) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT


def test_without_the_extra(tmp_path: Path) -> None:
    """It says what to install, and ends with status 2: in a real environment that has the core alone."""
    for name in ("click", "msgspec", "typing_extensions"):
        package = Path(str(distribution(name).locate_file("."))) / name
        link = package if package.is_dir() else package.with_suffix(".py")
        (tmp_path / link.name).symlink_to(link)
    source = Path(traceonce.__file__).parents[1]
    said = subprocess.run(
        [sys.executable, "-S", "-m", "traceonce", "mcp"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(tmp_path)])},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "traceonce: mcp needs the MCP SDK; install it with: pip install 'traceonce[serve]'\n"


def test_a_closed_standard_input(environment: dict[str, str]) -> None:
    """There is nobody to talk to."""
    said = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND], capture_output=True, text=True, env=environment, check=False
    )
    assert said.returncode == 2
    assert "standard input, which is closed" in said.stderr
