"""Wrong input: exit status 2, one message that names the thing and the remedy, no traceback, and nothing written."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shells import Recorded, Shell

FOREIGN = {
    "empty object": b"{}",
    "another schema": b'{"schema": "somebody.else/1", "functions": []}',
    "a later schema": b'{"schema": "traceonce.recording/99", "functions": []}',
    "a later log": b'{"entry":"header","schema":"traceonce.recording/99","run":"a","process":"1","clock":1.0}\n',
    "not an object": b"[1, 2, 3]",
    "wrong types": b'{"schema": "traceonce.recording/1", "events": "many"}',
    "deep nesting": b"[" * 100_000,
    "text": "Dear diary, naïvely …\n".encode(),
    "JSON lines": b'{"a": 1}\n{"b": 2}\n',
    "binary": bytes(range(256)) * 10,
    "empty": b"",
    "blank": b"\n \n",
}


def refused(shell: Shell, *arguments: str | bytes, **options: Any) -> str:
    """Run it, check what is true of all wrong input, and return the message."""
    before = shell.files()
    outcome = shell.traceonce(*arguments, **options)
    message = outcome.errors
    assert outcome.status == 2, message
    assert outcome.out == b""
    assert "Traceback" not in message
    assert message.endswith("\n")
    assert shell.files() == before, "something was written"
    return message


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run"], ["Nothing to run", "SCRIPT", "-m MODULE", "-c CODE"]),
        (["run", "--"], ["Nothing to run"]),
        (["run", "--quiet", "--format", "json"], ["Nothing to run"]),
        (["run", "-m"], ["-m", "module"]),
        (["run", "-c"], ["-c", "code"]),
        (["run", "--no-such-option", "ok.py"], ["--no-such-option", "traceonce run --help"]),
        (["run", "--format"], ["--format"]),
        (["run", "--format", "pdf", "ok.py"], ["--format pdf", "text, json"]),
        (["run", "--max-traces", "few", "ok.py"], ["--max-traces", "'few'", "train_step=1"]),
        (["run", "--max-traces", "=3", "ok.py"], ["--max-traces", "'=3'"]),
        (["run", "--max-traces", "-1", "ok.py"], ["--max-traces", "'-1'"]),
        (["run", "--on-limit", "explode", "ok.py"], ["--on-limit", "explode", "warn"]),
        (["run", "--update-baseline", "ok.py"], ["--update-baseline", "--baseline FILE"]),
        (
            ["run", "--baseline", "absent.json", "ok.py"],
            ["--baseline absent.json", "no such file", "--update-baseline"],
        ),
        (["run", "--baseline", "ok.py", "ok.py"], ["--baseline ok.py", "not a baseline", "--update-baseline"]),
        (["run", "--baseline", "folder", "ok.py"], ["--baseline folder", "cannot be read"]),
        (["run", "--baseline", "absent/b.json", "--update-baseline", "ok.py"], ["--baseline absent/b.json", "create"]),
        (["run", "--fail-on", "sadness", "ok.py"], ["--fail-on", "sadness", "retracing"]),
        (["run", "absent.py"], ["absent.py", "no such script", "working directory"]),
        (["run", "absent/"], ["absent", "no such script"]),
        (["run", "folder"], ["folder", "__main__.py"]),
        (["run", "-o", "absent/report.txt", "ok.py"], ["-o absent/report.txt", "no folder absent", "create it"]),
        (["run", "-o", "folder", "ok.py"], ["-o folder", "directory", "name a file"]),
        (["run", "-o", "ok.py/report.txt", "ok.py"], ["-o ok.py/report.txt"]),
        (["run", "--recording", "absent/run.jsonl", "ok.py"], ["--recording absent/run.jsonl", "create it"]),
        (["run", "--recording", "folder", "ok.py"], ["--recording folder", "directory", "name a file"]),
        (["run", "--recording", "text.txt", "ok.py"], ["--recording text.txt", "not changed", "another file"]),
        (["run", "--recording", "ok.py", "ok.py"], ["--recording ok.py", "not changed", "another file"]),
        (["run", "--recording", "mentions.md", "ok.py"], ["--recording mentions.md", "not changed", "another file"]),
        (["report"], ["recordings", "--latest"]),
        (["report", "--latest"], ["no recordings yet", "traceonce run"]),
        (["report", "--latest", "text.txt"], ["--latest"]),
        (["report", "absent.jsonl"], ["absent.jsonl", "no such recording", "--latest"]),
        (["report", "folder"], ["folder", "directory"]),
        (["report", "ok.py/run.jsonl"], ["ok.py/run.jsonl"]),
        (["report", "text.txt", "--format", "pdf"], ["--format pdf", "text, json"]),
        (["report", "text.txt", "-o", "absent/x"], ["-o absent/x", "create it"]),
        (["report", "--no-such-option"], ["--no-such-option", "traceonce report --help"]),
        (["doctor", "who"], ["who", "traceonce doctor --help"]),
        (["train.py"], ["train.py", "traceonce run train.py"]),
        (["path/to/train.py", "--epochs", "3"], ["traceonce run path/to/train.py"]),
        (["recrod"], ["recrod", "traceonce --help"]),
        (["--no-such-option"], ["--no-such-option", "traceonce --help"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_command_line(shell: Shell, arguments: list[str], expected: list[str]) -> None:
    shell.write("ok.py", "print('must not run')")
    shell.write("text.txt", "some text")
    shell.write("mentions.md", "Our job reads `traceonce.recording/1` files.\n")
    shell.write("folder/inside.py", "print('must not run')")
    message = refused(shell, *arguments)
    for words in expected:
        assert words in message


def test_through_the_other_entry_point(either_shell: Shell) -> None:
    assert "traceonce: absent.py: no such script." in refused(either_shell, "run", "absent.py")
    assert "Usage: traceonce run " in refused(either_shell, "run")


def test_no_command_shows_the_help(shell: Shell) -> None:
    outcome = shell.traceonce()
    assert outcome.status == 2
    assert "Start here:" in outcome.errors + outcome.text


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_that_is_no_recording(shell: Shell, kind: str) -> None:
    path = shell.cwd / "foreign.jsonl"
    path.write_bytes(FOREIGN[kind])
    message = refused(shell, "report", "foreign.jsonl")
    assert "foreign.jsonl: " in message
    remedy = "record again" if "later" in kind else "not a valid recording" if kind == "wrong types" else "recording"
    assert remedy in message.lower()


def test_one_bad_recording_among_good_ones(recorded: Recorded, shell: Shell) -> None:
    (shell.cwd / "bad.jsonl").write_bytes(b"nothing")
    assert "bad.jsonl: " in refused(shell, "report", str(recorded.file), "bad.jsonl")


def test_a_name_that_is_no_text(shell: Shell) -> None:
    """File names are bytes; one that is not UTF-8 must be named, not be a crash."""
    assert "no such script" in refused(shell, "run", b"caf\xe9.py")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_recording_that_is_no_plain_file(shell: Shell, kind: str) -> None:
    """Above all ``--recording /dev/null`` must not remove /dev/null (here: its twin)."""
    shell.write("ok.py", "print('ran')")
    path = shell.cwd / "special"
    try:
        os.mkfifo(path) if kind == "pipe" else os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices, and not everywhere")
    message = refused(shell, "run", "--recording", "special", "ok.py", timeout=60)  # to open a pipe may wait for ever
    assert "--recording special" in message


def test_what_lies_beside_a_recording_is_left_alone(shell: Shell) -> None:
    """``run.jsonl.1`` may be a child process's part, or somebody's own file: look before removing it."""
    shell.write("ok.py", "print('ran')")
    mine = shell.write("run.jsonl.1", "my notes on the first run")
    assert shell.traceonce("run", "--quiet", "--recording", "run.jsonl", "ok.py").status == 0
    assert mine.exists()
    assert mine.read_text() == "my notes on the first run"


def test_what_lies_beside_a_recording_does_not_spoil_its_report(recorded: Recorded, shell: Shell) -> None:
    (shell.cwd / "run.jsonl").write_bytes(recorded.file.read_bytes())
    shell.write("run.jsonl.1", "my notes on the first run")
    outcome = shell.traceonce("report", "run.jsonl")
    assert outcome.status == 0, outcome.errors
    assert "train_step  retraced 7 times" in outcome.text


def test_an_earlier_recording_is_replaced(shell: Shell) -> None:
    for status in ("4", "0"):
        assert shell.traceonce("run", "--recording", "run.jsonl", "-c", f"exit({status})").status == int(status)
    assert (shell.cwd / "run.jsonl").read_bytes().count(b'"entry":"header"') == 1


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_a_recording_that_was_cut_short(recorded: Recorded, tmp_path: Path, share: float) -> None:
    """What is whole is shown; the rest is said to be missing."""
    shell = Shell(tmp_path)
    data = recorded.file.read_bytes()
    cut = data[: int(len(data) * share)].rstrip(b"}\n")  # by chance, it could be the end of a line
    (shell.cwd / "cut.jsonl").write_bytes(cut)
    outcome = shell.traceonce("report", "cut.jsonl")
    assert outcome.status == 0, outcome.errors
    assert outcome.err == b""
    whole, _, rest = cut.rpartition(b"\n")
    assert rest, "the cut is at the end of a line: choose another share"
    traces = whole.count(b'"entry":"trace"')
    damaged = whole.count(b"\n") + 2
    assert (f"1 function, {traces} trace" if traces else "no function was traced") in outcome.text
    assert f"note  cut.jsonl, line {damaged}: cut short" in outcome.text


def test_damage_in_the_middle(recorded: Recorded, shell: Shell) -> None:
    lines = recorded.file.read_bytes().splitlines(keepends=True)
    first_retrace = next(number for number, line in enumerate(lines) if b'"phase":"retrace"' in line)
    lines[first_retrace] = b"\x00\xff damaged\n"
    (shell.cwd / "damaged.jsonl").write_bytes(b"".join(lines))
    outcome = shell.traceonce("report", "damaged.jsonl")
    assert outcome.status == 0
    assert "7 traces" in outcome.text
    assert f"damaged.jsonl, line {first_retrace + 1}: damaged and skipped" in outcome.text
