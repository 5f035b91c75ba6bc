"""What is computed from a recording neither takes for ever nor takes the rest with it."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from traceonce import computation
from traceonce.computation import compute_from
from traceonce.errors import RecordingError, UsageError


def endless() -> bool:
    """One operation of Python's, which no signal handler and no thread of its process can interrupt."""
    return None in range(2**63)


def test_what_it_returns_and_prints(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> dict[str, int]:
        print("seen")
        return {"a": os.getpid()}

    answer = compute_from([], work)
    assert answer["a"] != os.getpid()
    assert capfd.readouterr().out == "seen\n"


def test_what_it_raises() -> None:
    """The same error, so that it is dealt with as ever; and where it came from."""

    def work() -> None:
        raise UsageError("x: is wrong")

    with pytest.raises(UsageError, match=r"^x: is wrong$") as caught:
        compute_from([], work)
    assert "in work" in str(caught.value.__cause__)


def test_an_error_that_cannot_be_handed_over() -> None:
    class LocalError(Exception):
        def __init__(self) -> None:
            super().__init__(lambda: None)

    def work() -> None:
        raise LocalError

    with pytest.raises(RuntimeError, match=r"^LocalError: "):
        compute_from([], work)


def test_it_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(computation, "SECONDS", 0.5)
    with pytest.raises(RecordingError, match=r"run.jsonl: cannot be processed here: it takes longer than 500 ms\."):
        compute_from([tmp_path / "run.jsonl"], endless)


def test_large_recordings_get_longer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(computation, "SECONDS", 0.1)
    monkeypatch.setattr(computation, "SECONDS_PER_MIB", 1.0)
    recording = tmp_path / "run.jsonl"
    recording.write_bytes(b" " * (1 << 19))
    with pytest.raises(RecordingError, match="longer than 600 ms"):
        compute_from([recording], endless)


def test_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else 1 << 18)  # 1 GiB
    with pytest.raises(RecordingError, match="needs more memory than this machine has"):
        compute_from([Path("run.jsonl")], lambda: len(bytearray(1 << 31)))


def test_its_process_dies() -> None:
    with pytest.raises(RecordingError, match="its process was ended by SIGTERM"):
        compute_from([Path("run.jsonl")], lambda: os.kill(os.getpid(), signal.SIGTERM))


def test_an_interrupt_ends_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it is at it: the process that computes is gone with the one that waits."""
    others = set(multiprocessing.active_children())  # the tests of the server leave workers to the ones after them
    children: list[int] = []
    receive = computation._receive

    def interrupted(reader: object, seconds: float) -> object:
        began = set(multiprocessing.active_children()) - others
        children.extend(child.pid for child in began if child.pid is not None)
        monkeypatch.setattr(computation, "_receive", receive)
        raise KeyboardInterrupt

    monkeypatch.setattr(computation, "_receive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compute_from([], endless)
    assert len(children) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(children[0], 0)


def test_what_is_printed_to_memory_is_printed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A runner of tests, or a notebook, has put something into the place of standard output."""
    told = io.StringIO()
    monkeypatch.setattr("sys.stdout", told)
    assert compute_from([], os.getpid) == os.getpid()
    compute_from([], lambda: print("seen"))
    assert told.getvalue() == "seen\n"
