"""`traceonce serve` in a process of its own, as a user starts it, and a door to its interface for setting things up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

TOO_LONG = 60  # seconds: a hang ends as a failure; no test depends on how long anything takes


class Server(NamedTuple):
    """A running server, its address without a slash at the end, and the token that it asks for."""

    address: str
    token: str | None = None

    def ask(self, method: str, path: str, data: bytes | None = None) -> Any:
        """What the REST interface answers, from JSON; None where there is nothing to read."""
        headers = {"Content-Type": "application/octet-stream"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.address}/api/v1{path}", data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=TOO_LONG) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def upload(self, data: bytes, name: str) -> str:
        """Store a recording; its id."""
        return str(self.ask("POST", f"/recordings?name={quote(name)}", data)["id"])

    def names(self) -> list[str]:
        """The names of the recordings that are stored."""
        return [summary["name"] for summary in self.ask("GET", "/recordings?limit=200")["recordings"]]


@contextmanager
def run_server(folder: Path, *, token: str | None = None) -> Iterator[Server]:
    """A server of its own, on a port of the system's choice, with SQLite in `folder`."""
    command = [sys.executable, "-m", "traceonce", "serve", "--port", "0", "--match-rate", "0"]
    command += ["--database", f"sqlite:///{folder / 'recordings.sqlite3'}"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("TRACEONCE_")}
    surroundings |= {"TRACEONCE_HOME": str(folder)} | ({"TRACEONCE_TOKEN": token} if token else {})
    errors = folder / "errors.txt"
    with errors.open("wb") as output:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=output, env=surroundings, text=True)
    with process:
        try:
            assert process.stdout is not None
            said = re.search(r"http://\S+", process.stdout.readline())
            assert said, f"the server does not say where it is:\n{errors.read_text()}"
            yield Server(said.group(), token)
        finally:
            process.terminate()
            process.wait(TOO_LONG)
    assert not errors.read_text(), f"the server complained:\n{errors.read_text()}"
