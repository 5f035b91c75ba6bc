"""A real `traceonce serve` under load: the process, and wrk, which asks it from the same machine."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

START = 30  # seconds in which the server must answer
TICKS = os.sysconf("SC_CLK_TCK")

# Each request is the next template with a number of its own in it: no two requests of a run are the same, so that a
# cache of answers would find nothing. The file has one template per line, in two halves around a tab.
LUA = """
local halves = {}
for line in io.lines(os.getenv("TEMPLATES")) do
  local first, last = line:match("^(.-)\\t(.*)$")
  halves[#halves + 1] = {first, last}
end
local number = tonumber(os.getenv("FIRST"))
local headers = {["Content-Type"] = os.getenv("CONTENT_TYPE")}
request = function()
  number = number + 1
  local half = halves[number % #halves + 1]
  return wrk.format("POST", nil, headers, half[1] .. number .. half[2])
end
"""
DONE = """
done = function(summary, latency)
  local wrong = summary.errors
  local broken = wrong.connect + wrong.read + wrong.write + wrong.timeout
  io.write(string.format('RESULT {"requests": %d, "us": %d, "refused": %d, "broken": %d, ',
    summary.requests, summary.duration, wrong.status, broken))
  io.write(string.format('"p50": %d, "p99": %d, "worst": %d}\\n',
    latency:percentile(50), latency:percentile(99), latency.max))
end
"""


class Load(NamedTuple):
    """What came of asking for some seconds. `cpu_ms` is the time of the server's own processor per request."""

    per_s: float
    p50_ms: float
    p99_ms: float
    worst_ms: float
    requests: int
    cpu_ms: float


class Server:
    """A server in a process of its own, with its database in `folder`, and a token where one is given."""

    def __init__(self, folder: Path, token: str | None = None, match_rate: str = "0") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._asked = 0  # requests with a number in them, so far
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        command = [sys.executable, "-m", "traceonce", "serve", "--port", str(self.port), "--match-rate", match_rate]
        command += ["--database", f"sqlite:///{folder / 'recordings.sqlite3'}"]
        self.log = (folder / "server.log").open("wb")
        surroundings = os.environ | ({"TRACEONCE_TOKEN": token} if token else {})
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=surroundings)
        self._await_answer()

    def _await_answer(self) -> None:
        end = time.monotonic() + START
        while True:
            try:
                self.ask("GET", "/api/v1/health")
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit((self._folder / "server.log").read_text()) from None
                time.sleep(0.1)
            else:
                return

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        """One request on a connection of its own; its JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, self._headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status < 300, (answer.status, data[:500])
        return json.loads(data)

    def cpu_seconds(self) -> float:
        """Of all its threads, in its own code and in the kernel."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024

    def load(self, path: str, connections: int, seconds: int, templates: Path | None = None) -> Load:
        """Ask as fast as answers come, on so many connections at once; anything but a 2xx ends the benchmark."""
        script = self._folder / "ask.lua"
        script.write_text(LUA + DONE if templates else DONE)
        surroundings = os.environ | {
            "TEMPLATES": str(templates),
            "FIRST": str(self._asked),
            "CONTENT_TYPE": "application/json",
        }
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(script)]
        before = self.cpu_seconds()
        output = subprocess.run(
            [*command, self.address + path], env=surroundings, capture_output=True, text=True, check=True
        ).stdout
        used = self.cpu_seconds() - before
        found = json.loads(output.rpartition("RESULT ")[2])
        self._asked += found["requests"] + connections  # those under way at the end were sent, too
        assert found["refused"] == found["broken"] == 0, output
        return Load(
            per_s=found["requests"] / found["us"] * 1e6,
            p50_ms=found["p50"] / 1e3,
            p99_ms=found["p99"] / 1e3,
            worst_ms=found["worst"] / 1e3,
            requests=found["requests"],
            cpu_ms=used / found["requests"] * 1e3,
        )

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(START)
        self.log.close()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    if shutil.which("wrk") is None:
        raise SystemExit("bench/serve.py asks with wrk; install the package wrk.")
    server = Server(folder)
    try:
        yield server
    finally:
        server.close()


def write_templates(file: Path, pairs: Sequence[tuple[str, str]]) -> Path:
    """The halves of each request body, before and after its number."""
    lines = [f"{first}\t{last}" for first, last in pairs]
    assert not any("\n" in line or line.count("\t") != 1 for line in lines)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
