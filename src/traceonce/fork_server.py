"""A process that has imported a framework, and forks for every job: both sides of it.

The framework is imported once and never used in that process, so that every job starts from the same clean state,
without the seconds that the import takes. Jobs come as lines on its standard input, and a line goes to its standard
output for each when it has ended. A job has a time limit, and whatever it started ends with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

STARTING = 600.0  # seconds that importing a framework may take
CLOSING = 5.0  # seconds that a server has to end what it runs


class Job(Protocol):
    """What is asked for in one line."""

    limit: float  # seconds

    def run(self) -> None:
        """Do it, in the process of its own. Where this returns, that process ends as any Python program does."""

    def answer(self, status: int | None, seconds: float) -> bytes:
        """What came of it, asked in the server. `status` is negative for a signal, None where time ran out."""


class ForkServer:
    """The side that asks. `greeting` is the server's first line, and empty where it could not be started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `close`
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environment),
            start_new_session=True,  # an interrupt from the terminal is for us; we end it
        )
        try:
            self.greeting = self._ask(b"", STARTING)
        except BaseException:  # interrupted: nobody else could end it
            self.close()
            raise

    def ask(self, line: bytes, limit: float) -> bytes:
        """The answer to a line; empty where the server was lost, or had to be killed since it took longer than this."""
        return self._ask(line + b"\n", limit)

    def _ask(self, sent: bytes, limit: float) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(limit, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(sent)
            self._process.stdin.flush()
            return self._process.stdout.readline().rstrip(b"\n")
        except (OSError, ValueError):  # it has ended, or was closed by another thread
            return b""
        finally:
            timer.cancel()

    @property
    def last_words(self) -> str:
        """The last line that it wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """End the server, and what it runs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.terminate()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=CLOSING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()


def serve(modules: Sequence[str], greet: Callable[[], bytes], take: Callable[[bytes], Job]) -> None:
    """Be the server, until there are no more lines; in the process of a job this returns when the job is done."""
    _end_with_parent()
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    lines = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # whatever the framework prints must not get among the answers
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # and no job reads the lines of others
    for name in modules:
        importlib.import_module(name)
    gc.freeze()  # else the collector looks at all of it in every fork, and so copies its memory: a second each
    ending = _Ending()
    answers.write(greet() + b"\n")
    for line in lines:
        ending.is_busy = True
        job = take(line)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            answers.close()
            lines.close()
            job.run()
            return
        began = time.monotonic()
        status = _wait(child, job.limit, ending)
        answer = job.answer(status, time.monotonic() - began)
        ending.is_busy = False
        if ending.was_asked:
            os._exit(1)
        answers.write(answer + b"\n")


class _Ending:
    """On SIGTERM: leave at once, or where a job is running, as soon as that has been ended and cleared up."""

    def __init__(self) -> None:
        self.is_busy = self.was_asked = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, *_: object) -> None:
        self.was_asked = True
        if not self.is_busy:
            os._exit(1)


def _end_with_parent() -> None:
    """On Linux: be told when who asks is killed, and be given what a job leaves behind: nothing may run on."""
    if sys.platform.startswith("linux"):
        import ctypes

        set_parent_death_signal, set_child_subreaper = 1, 36
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
        ctypes.CDLL(None).prctl(set_child_subreaper, 1)


def _wait(child: int, limit: float, ending: _Ending) -> int | None:
    """The exit status, negative for a signal; None where time ran out. Whatever the job started ends with it."""
    end = time.monotonic() + limit
    status: int | None = None
    while status is None and time.monotonic() < end and not ending.was_asked:
        done, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        if status is None:
            time.sleep(0.005)
    _kill(child)
    if status is None:
        os.waitpid(child, 0)
    _kill_orphans()
    return status


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):  # it may not have become the leader of its group yet
        with contextlib.suppress(OSError):
            kill(child, signal.SIGKILL)


def _kill_orphans() -> None:
    """What the job started in sessions of their own has been given to us: there are no other children here."""
    for _ in range(100):  # those of the killed ones come next
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                orphans = [int(number) for number in file.read().split()]
        except OSError:
            return
        if not orphans:
            return
        for orphan in orphans:
            _kill(orphan)
            with contextlib.suppress(OSError):
                os.waitpid(orphan, 0)
