"""A real run: the report for people, the JSON contract, the saved recording, and the exit status."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess

import pytest

from tests.cli.shells import TOO_LONG, Outcome, Recorded, Shell, functions_of

# The command line in a process where TensorFlow cannot be imported; says in the end what was.
WITHOUT_TENSORFLOW = """\
import atexit, sys
sys.modules["tensorflow"] = None
frameworks = ("keras", "numpy", "tensorflow.python")
atexit.register(lambda: print("loaded:", [name for name in frameworks if name in sys.modules], file=sys.stderr))
sys.argv[0] = "traceonce"
from traceonce.commands.main import main
main()
"""
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[0-9;]+)m")


def report_without_tensorflow(shell: Shell, *arguments: str) -> Outcome:
    outcome = shell.python("-c", WITHOUT_TENSORFLOW, "report", *arguments)
    assert outcome.status == 0, outcome.errors
    assert outcome.err == b"loaded: []\n"
    return outcome


def test_the_report_for_people(recorded: Recorded) -> None:
    outcome = recorded.outcome
    assert outcome.status == 0, outcome.errors
    assert outcome.out == b"arguments ['0', '--format', 'x']\n"
    report = outcome.errors[outcome.errors.index("traceonce  ") :]
    lines = report.splitlines()
    assert lines[0].startswith("traceonce  1 function, 8 traces · ")
    assert lines[0].endswith(" lost · 1 function to look at")
    assert lines[2].startswith("train_step  retraced 7 times in 8 calls · ")
    assert lines[2].endswith(" · train.py:4, called from train.py:9")
    assert " ".join(lines[3].split()) == "step a Python int, a new value each time 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7"
    assert " ".join(lines[4].split()) == "x.shape[1] varies 12, 9, 15, 20"
    signature = "@tf.function(input_signature=[tf.TensorSpec([2, None], tf.float32), tf.TensorSpec([], tf.int32)])"
    assert signature in lines[5]
    assert lines[-1] == "recording: run.jsonl"
    assert "note" not in report
    assert "\x1b" not in report


def test_the_contract(recorded_as_json: Recorded) -> None:
    outcome = recorded_as_json.outcome
    assert outcome.out == b"arguments ['0']\n"
    report = json.loads(recorded_as_json.file.read_bytes())
    assert list(report)[:7] == ["schema", "environment", "command", "exit_code", "seconds", "functions", "events"]
    assert report["schema"] == "traceonce.recording/1"
    assert {"python", "tensorflow", "platform"} <= report["environment"].keys()
    assert (report["command"], report["exit_code"]) == (["train.py", "0"], 0)
    assert report["cwd"] == str(recorded_as_json.shell.cwd)
    assert [event["phase"] for event in report["events"] if "phase" in event] == ["retrace"] * 7
    (function,) = report["functions"]
    expected = {
        "backend": "tensorflow", "name": "train_step", "file": "train.py", "line": 4, "traces": 8, "retraces": 7,
        "internal": 0, "calls": 8, "verdict": "retracing",
        "records": ["tensorflow/retracing-python-number", "tensorflow/retracing-shape"],
        "call_sites": [{"file": "train.py", "line": 9, "count": 8, "via": None}],
    }  # fmt: skip
    assert {key: function[key] for key in expected} == expected
    assert isinstance(function["fixes"], list)
    contract = ("code", "path", "count", "was", "now", "evidence")
    assert [tuple(cause[key] for key in contract) for cause in function["causes"]] == [
        ("value", "step", 7, "0", "1", "measured"),
        ("shape", "x.shape[1]", 3, "12", "9", "measured"),
    ]
    assert 0 < function["exclusive_seconds"] <= function["seconds"] < report["seconds"]
    assert function["first_run_seconds"] > 0
    assert 0 < function["lost_seconds"] < report["seconds"]


def test_fail_on(recorded_as_json: Recorded) -> None:
    """Status 3, and the breach is named; the report is written all the same."""
    assert recorded_as_json.outcome.status == 3
    assert recorded_as_json.outcome.errors.endswith("traceonce: --fail-on: train_step is retracing\n")


def test_the_programs_own_failure_wins_over_fail_on(shell: Shell, recorded: Recorded) -> None:
    """And `--quiet` is quiet about both; the recording is kept."""
    shell.write("train.py", (recorded.shell.cwd / "train.py").read_text())
    outcome = shell.traceonce("run", "--quiet", "--fail-on", "retracing", "train.py", "7")
    assert (outcome.status, outcome.out) == (7, b"arguments ['7']\n")
    assert not re.search(r"^traceonce", outcome.errors, re.MULTILINE)
    assert [path.suffix for path in (shell.home / "recordings").iterdir()] == [".jsonl"]
    report = shell.traceonce("report", "--latest", "--format", "json")
    assert json.loads(report.out)["exit_code"] == 7
    assert functions_of(report.out)["train_step"]["retraces"] == 7


def test_a_saved_recording_gives_the_same_report_without_tensorflow(recorded: Recorded) -> None:
    again = report_without_tensorflow(recorded.shell, "run.jsonl")
    assert again.text.startswith("traceonce  1 function, 8 traces")
    assert f"\n\n{again.text}" in recorded.outcome.errors  # apart from what TensorFlow logs, also when piped


def test_the_latest_recording_gives_the_same_json(recorded_as_json: Recorded) -> None:
    again = report_without_tensorflow(recorded_as_json.shell, "--latest", "--format", "json", "-o", "again.json")
    assert again.out == b""
    assert (recorded_as_json.shell.cwd / "again.json").read_bytes() == recorded_as_json.file.read_bytes()


def test_a_json_report_can_be_read_back(recorded_as_json: Recorded) -> None:
    again = report_without_tensorflow(recorded_as_json.shell, "report.json", "--format", "json")
    assert again.out == recorded_as_json.file.read_bytes()


def test_two_recordings_are_merged(recorded: Recorded, recorded_as_json: Recorded) -> None:
    """Each run has its own history: what the first one traced is no excuse for the second."""
    files = [str(recorded.file), str(recorded_as_json.file)]
    report = json.loads(report_without_tensorflow(recorded.shell, *files, "--format", "json").out)
    parts = [json.loads(report_without_tensorflow(recorded.shell, name, "--format", "json").out) for name in files]
    (function,) = report["functions"]
    assert (function["traces"], function["retraces"], function["calls"]) == (16, 14, 16)
    assert [(cause["path"], cause["count"]) for cause in function["causes"]] == [("step", 14), ("x.shape[1]", 6)]
    assert len(report["events"]) == 16
    assert len({event["process"] for event in report["events"]}) == 2
    assert report["seconds"] == pytest.approx(sum(part["seconds"] for part in parts))
    assert report["runs"] == [run for part in parts for run in part["runs"]]
    text = report_without_tensorflow(recorded.shell, *files).text
    assert "train_step  retraced 14 times in 16 calls" in text


def test_a_recording_that_is_named_twice_counts_once(recorded: Recorded) -> None:
    """As ``traceonce report *.jsonl run.jsonl`` easily does."""
    outcome = recorded.shell.traceonce("report", "run.jsonl", "./run.jsonl", "--format", "json")
    assert functions_of(outcome.out)["train_step"]["traces"] == 8


def show_on_terminal(
    shell: Shell, *arguments: str, errors_to: int | None = subprocess.PIPE, **environment: str
) -> bytes:
    """What a command writes where its output is a terminal; with its errors, if they go there, too."""
    keyboard, screen = pty.openpty()
    process = shell.start(
        *shell.entry,
        *arguments,
        stdout=screen,
        stderr=screen if errors_to is None else errors_to,
        env={"TERM": "xterm-256color"} | environment,
    )
    os.close(screen)
    shown = b""
    try:
        while data := os.read(keyboard, 65536):
            shown += data
    except OSError:  # Linux: the last process has closed the terminal
        pass
    os.close(keyboard)
    _, errors = process.communicate(timeout=TOO_LONG)
    assert process.returncode == 0, errors
    return shown


def test_colours_on_a_terminal_only(recorded: Recorded) -> None:
    shown = show_on_terminal(recorded.shell, "report", "run.jsonl")
    assert COLOUR.search(shown)
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", shown).replace(b"\r\n", b"\n")
    assert plain == recorded.shell.traceonce("report", "run.jsonl").out
    assert not COLOUR.search(show_on_terminal(recorded.shell, "report", "run.jsonl", NO_COLOR="1"))


def test_the_report_stands_apart_from_what_the_program_said(shell: Shell) -> None:
    """On a terminal, where frameworks say much; a file or a pipe gets the report alone."""
    shell.write("train.py", "print('epoch 1')")
    shown = show_on_terminal(shell, "run", "train.py", errors_to=None)
    assert b"epoch 1\r\n\r\n" in shown
    assert shell.traceonce("run", "train.py").err.startswith(b"traceonce  no function was traced")


def test_a_terminal_without_unicode(recorded: Recorded) -> None:
    """The report has signs that a plain encoding lacks; it is shown all the same."""
    outcome = recorded.shell.traceonce("report", "run.jsonl", env={"PYTHONIOENCODING": "ascii"})
    assert outcome.status == 0, outcome.errors
    assert b"train_step  retraced 7 times" in outcome.out


def test_a_reader_that_leaves_early(recorded: Recorded) -> None:
    """``traceonce report run.jsonl | head -1`` is no error to tell about."""
    process = recorded.shell.start(*recorded.shell.entry, "report", "run.jsonl")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=TOO_LONG)
    assert errors == b""
