"""A real server, and recordings that would be read for ever: they are refused, all else goes on, and it stops."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RECORDED = Path(__file__).parents[1] / "recorded"
UPLOADS = "/api/v1/recordings"
TOO_LONG = 180  # seconds until what does not end is a failure; no test depends on how long anything takes

# The fault is planted, since none that we know of is left: a loop of C code, which holds Python's lock and lets no
# signal through. `python -m planted` is the server with it.
PLANTED = """
import sys

from traceonce.serve import computation_budget, jobs

real = jobs.understand

def understand(path, name):
    return None in range(2**63) if name.startswith("endless") else real(path, name)

if __name__ == "__main__":
    import planted
    from traceonce.commands.serve import command
    from traceonce.serve import queries

    jobs.understand = planted.understand
    if "--for-hours" in sys.argv:
        sys.argv.remove("--for-hours")
        queries.reading_budget = lambda size, most: computation_budget.ComputationBudget(3600.0)
    command()
"""


class Server:
    """The server in a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        (folder / "planted.py").write_text(PLANTED)
        command = [sys.executable, "-m", "planted", "--port", "0", "--database", f"sqlite:///{folder / 'a.sqlite3'}"]
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("TRACEONCE_")}
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        surroundings["PYTHONPATH"] = os.pathsep.join(paths)
        self.process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, env=surroundings, text=True)
        assert self.process.stdout is not None
        told = re.search(r":([0-9]+) ", self.process.stdout.readline())
        assert told is not None
        self._port = int(told[1])

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TOO_LONG)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def upload(self, name: str, recorded: str = "healthy") -> tuple[int, Any]:
        """A recording under a name; the name makes it another one."""
        notice = json.dumps({"entry": "notice", "text": name}).encode()
        data = (RECORDED / f"{recorded}.jsonl").read_bytes() + notice + b"\n"
        return self.ask("POST", f"{UPLOADS}?name={name}", data)

    def processes(self) -> list[int]:
        """Its own, and those that were started by it, however far down."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except (OSError, IndexError):
                    continue  # it has just ended
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TOO_LONG)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    server = Server(folder, *options)
    try:
        yield server
    finally:
        server.close()


def test_an_endless_recording_is_refused_and_all_else_goes_on(tmp_path: Path) -> None:
    """While several are being read, others are uploaded and shown; each is refused with the budget and the remedy."""
    with serving(tmp_path, "--max-seconds", "2") as server:
        refused: list[tuple[int, Any]] = []
        hostile = [threading.Thread(target=lambda n=n: refused.append(server.upload(f"endless-{n}"))) for n in range(4)]
        for thread in hostile:
            thread.start()
        status, summary = server.upload("fine")
        assert status == 201
        assert server.ask("GET", f"{UPLOADS}/{summary['id']}")[0] == 200
        for thread in hostile:
            thread.join(TOO_LONG)
        assert [status for status, _ in refused] == [422] * 4
        for _, answer in refused:
            assert re.match(r"endless-\d: reading it exceeds the limit of 2 s of CPU time", answer["detail"])
            assert "`traceonce report FILE`" in answer["detail"]
        assert server.ask("GET", UPLOADS)[1]["total"] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; elsewhere a worker lasts until its budget is used up")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_it_stops_whatever_its_workers_do(tmp_path: Path, by: signal.Signals) -> None:
    """And none of its processes is left, however it was stopped."""
    with serving(tmp_path, "--for-hours") as server:
        assert server.upload("fine")[0] == 201
        before = len(server.processes())
        uploading = threading.Thread(target=upload_in_vain, args=(server,))
        uploading.start()
        wait_until(lambda: any(is_looping(pid) for pid in server.processes()[1:]))
        processes = server.processes()
        assert len(processes) >= before
        server.process.send_signal(by)
        assert server.process.wait(TOO_LONG) == (-signal.SIGKILL if by == signal.SIGKILL else 0)
        wait_until(lambda: all(is_gone(pid) for pid in processes))
        uploading.join(TOO_LONG)


def upload_in_vain(server: Server) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):  # it was killed
        assert server.upload("endless")[0] == 503


def is_looping(pid: int) -> bool:
    """Has it used three seconds of the processor, which nothing else here takes?"""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 3.0


def is_gone(pid: int) -> bool:
    """A process that has ended may wait for somebody to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(condition: Any) -> None:
    end = time.monotonic() + TOO_LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
