"""The process that forks for every job, with jobs that need no framework."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from traceonce.fork_server import ForkServer

SERVER = """
import os, subprocess, sys, time
from traceonce.fork_server import serve

class Job:
    def __init__(self, line):
        self.code = line.decode()
        self.limit = 2.0

    def run(self):
        os.setsid()
        exec(self.code)

    def answer(self, status, seconds):
        return repr(status).encode()

serve(sys.argv[1:], lambda: b"ready", Job)
"""
SLEEPER = "p = subprocess.Popen(['sleep', '60'], start_new_session=True); open({file!r}, 'w').write(str(p.pid))"


@pytest.fixture
def server() -> Iterator[ForkServer]:
    server = ForkServer([sys.executable, "-c", SERVER, "json"], os.environ)
    assert server.greeting == b"ready"
    yield server
    server.close()


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_each_job_has_a_process_of_its_own(server: ForkServer) -> None:
    assert server.ask(b"sys.modules['json'].seen = 1", 20) == b"0"
    assert server.ask(b"assert not hasattr(sys.modules['json'], 'seen')", 20) == b"0"
    assert server.ask(b"raise SystemExit(7)", 20) == b"7"
    assert server.ask(b"os.kill(os.getpid(), 9)", 20) == b"-9"


def test_a_job_is_not_among_the_answers_and_does_not_read_the_lines_of_others(server: ForkServer) -> None:
    assert server.ask(b"print('ready'); sys.stdout.flush(); assert sys.stdin.read() == ''", 20) == b"0"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands orphans over")
@pytest.mark.parametrize("end", ["", "; time.sleep(60)"], ids=["it ends", "its time is up"])
def test_what_a_job_started_ends_with_it(server: ForkServer, tmp_path: Path, end: str) -> None:
    file = tmp_path / "pid"
    answer = server.ask(f"{SLEEPER.format(file=str(file))}{end}".encode(), 20)
    assert answer == (b"None" if end else b"0")
    assert not is_running(int(file.read_text()))


def test_closing_ends_a_job_that_is_running(tmp_path: Path) -> None:
    """Whoever waits for its answer, in another thread, gets none."""
    server = ForkServer([sys.executable, "-c", SERVER], os.environ)
    file = tmp_path / "pid"
    answers: list[bytes] = []
    code = f"open({str(file)!r}, 'w').write(str(os.getpid())); time.sleep(60)".encode()
    waiting = threading.Thread(target=lambda: answers.append(server.ask(code, 60)))
    waiting.start()
    while not (file.exists() and file.read_text()):
        time.sleep(0.01)
    server.close()
    waiting.join(20)
    assert answers == [b""]
    assert not is_running(int(file.read_text()))


def test_a_server_that_takes_too_long_is_lost(server: ForkServer) -> None:
    assert server.ask(b"time.sleep(2)", 0.2) == b""
    assert server.ask(b"pass", 20) == b""


def test_a_server_that_cannot_be_started_says_why() -> None:
    server = ForkServer([sys.executable, "-c", SERVER, "no_such_module"], os.environ)
    assert server.greeting == b""
    assert server.last_words == "ModuleNotFoundError: No module named 'no_such_module'"
    server.close()
