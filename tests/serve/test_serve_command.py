"""``traceonce serve`` as a user starts it: where it listens, what it refuses, and how it stops."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from traceonce.commands.serve import command
from traceonce.errors import UsageError

SERVE = (sys.executable, "-m", "traceonce", "serve")
TOKEN = "correct-horse-battery-staple"
TOO_LONG = 60  # seconds: a hang ends as a failure; no test depends on how long anything takes


def execute(home: Path, *line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, env=surroundings(home), capture_output=True, text=True, timeout=TOO_LONG)


def surroundings(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRACEONCE_")}
    return {**kept, "TRACEONCE_HOME": str(home), **more}


def refused(home: Path, *arguments: str, **environment: str) -> str:
    """What the command says when it does not start: what it raises is one line and exit status 2."""
    done = CliRunner().invoke(command, ["--port", "0", *arguments], env=surroundings(home, **environment))
    assert isinstance(done.exception, UsageError), done.output
    assert done.output == ""
    assert not (home / "server.sqlite3").exists()
    return str(done.exception)


@contextmanager
def running(home: Path, *arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """The process, and the host and port that it says it listens on."""
    process = subprocess.Popen(
        [*SERVE, "--port", "0", *arguments],
        env=surroundings(home, **environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"traceonce serves http://(\S+):(\d+) \(Ctrl-C stops it\)\n", line)
        assert found is not None, (line, process.poll() is not None and process.communicate()[1])
        yield process, found[1].strip("[]"), int(found[2])
    finally:
        process.kill()
        process.communicate()


def ask(host: str, port: int, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=TOO_LONG)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


@pytest.mark.parametrize("stopped_by", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped(
    tmp_path: Path, recorded: Callable[[str], bytes], stopped_by: signal.Signals
) -> None:
    """On loopback, with a database beside the user's recordings; a signal ends it in good order: status 0."""
    home = tmp_path / "50% of it? #1"
    with running(home) as (process, host, port):
        assert host == "127.0.0.1"
        status, content = ask(host, port, "POST", "/api/v1/recordings?name=nightly", recorded("healthy"))
        assert status == 201
        kept = json.loads(content)["id"]
        assert ask(host, port, "GET", f"/api/v1/recordings/{kept}/raw") == (200, recorded("healthy"))
        status, _ = ask(host, port, "GET", "/api/v1/health", Host="evil.example")
        assert status == 421
        process.send_signal(stopped_by)
        out, errors = process.communicate(timeout=TOO_LONG)
        assert (process.returncode, out, errors) == (0, "", "")
    assert (home / "server.sqlite3").is_file()


def test_with_a_token_it_listens_where_it_is_told(tmp_path: Path) -> None:
    """The token may come from the environment; limits hold as they were given."""
    with running(tmp_path, "--host", "0.0.0.0", "--max-upload", "1", TRACEONCE_TOKEN=TOKEN) as (_, host, port):
        assert host == "0.0.0.0"
        assert ask("127.0.0.1", port, "GET", "/api/v1/health")[0] == 401
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert ask("127.0.0.1", port, "GET", "/api/v1/health", **bearer)[0] == 200
        status, content = ask("127.0.0.1", port, "POST", "/api/v1/recordings", b" " * 1_048_577, **bearer)
        assert (status, b"the limit is 1,048,576 bytes" in content) == (413, True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_addresses_need_a_token(tmp_path: Path, host: str) -> None:
    """What others can reach does not start without one, and says how to make one."""
    said = refused(tmp_path, "--host", host)
    assert f"--host {host}: is reachable from other machines, so a token is needed. Set TRACEONCE_TOKEN" in said
    assert "secrets.token_urlsafe()" in said


@pytest.mark.parametrize(
    ("token", "reason"),
    [("short", "too easy to guess; use at least 16 characters"), ("ä" * 20, "cannot be sent in a header")],
)
def test_a_token_that_is_no_good(tmp_path: Path, token: str, reason: str) -> None:
    """Too short, or not for a header; it is not repeated."""
    said = refused(tmp_path, TRACEONCE_TOKEN=token)
    assert reason in said
    assert token not in said


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """Named, with what to do: a line on standard error and exit status 2; the database is not touched."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = execute(tmp_path, *SERVE, "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"traceonce: --host 127.0.0.1 --port {port}: cannot listen (Address already in use); "
        "choose another --port (0 picks a free one), or stop the process that uses it.\n"
    )
    assert not (tmp_path / "server.sqlite3").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--database", "mysql://me:secret@db/x"], "--database: 'mysql' is not supported; use sqlite:"),
        (["--database", "postgresql://me:secret@127.0.0.1:1/x"], "check the address, the name and the permissions"),
        (["--database", "sqlite:////proc/none/x"], "cannot be used"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid: is not an address of this machine"),
    ],
)
def test_what_cannot_be(tmp_path: Path, arguments: list[str], reason: str) -> None:
    """One line with the option and the remedy, and no password in it."""
    said = refused(tmp_path, *arguments)
    assert reason in said
    assert "secret" not in said


def test_without_the_extra(tmp_path: Path) -> None:
    """It says what is missing and how to get it."""
    code = "import sys; sys.modules['fastapi'] = None; from traceonce.commands.main import main; main()"
    done = execute(tmp_path, sys.executable, "-c", code, "serve")
    assert done.returncode == 2
    assert done.stderr == "traceonce: serve needs fastapi; install it with: pip install 'traceonce[serve]'\n"
