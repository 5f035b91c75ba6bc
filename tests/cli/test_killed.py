"""However a program ends, what was traced up to then is in the recording."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.cli.shells import TOO_LONG, Shell, functions_of, read_until

TRACING_ON_AND_ON = """\
import itertools, os
import jax

print("process", os.getpid(), flush=True)
for number in itertools.count(1):
    names = {}
    exec(f"def step_{number}(x): return x + {number}", names)
    jax.jit(names[f"step_{number}"])(1.0)
    print("traced", number, flush=True)
"""
ENOUGH = b"traced 25\n"


def start_tracing(shell: Shell, started: list[int]) -> tuple[subprocess.Popen[bytes], int]:
    """The launcher and the number of the program's process, which is in the middle of its traces."""
    shell.write("on_and_on.py", TRACING_ON_AND_ON)
    process = shell.start(*shell.entry, "run", "--recording", "run.jsonl", "on_and_on.py")
    number = int(read_until(process, b"process ")[-1].split()[1])
    started.append(number)
    read_until(process, ENOUGH)
    return process, number


def last_traced(out: bytes) -> int:
    return int((ENOUGH + out).rpartition(b"traced ")[2])


def assert_all_but_the_last(shell: Shell, last: int) -> None:
    outcome = shell.traceonce("report", "run.jsonl", "--format", "json")
    assert outcome.status == 0, outcome.errors
    seen = functions_of(outcome.out)
    expected = {f"step_{number}" for number in range(1, last + 1)}
    assert expected <= seen.keys() <= expected | {f"step_{last + 1}"}
    assert {function["traces"] for function in seen.values()} == {1}


def test_a_killed_program(shell: Shell, started: list[int]) -> None:
    process, number = start_tracing(shell, started)
    os.kill(number, signal.SIGKILL)
    out, err = process.communicate(timeout=TOO_LONG)
    assert process.returncode == -signal.SIGKILL
    last = last_traced(out)
    assert f"process {number} ended without closing its recording".encode() in err
    assert_all_but_the_last(shell, last)
    outcome = shell.traceonce("report", "run.jsonl")
    assert f"note  process {number} ended without closing its recording (killed" in outcome.text
    assert "run it again and let it finish" in outcome.text
    report = json.loads(shell.traceonce("report", "run.jsonl", "--format", "json").out)
    assert report["exit_code"] == -signal.SIGKILL


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the Linux kernel for it")
def test_a_killed_launcher(shell: Shell, started: list[int]) -> None:
    """The program ends with it (its output does); the recording has no ending, and is complete all the same."""
    process, number = start_tracing(shell, started)
    process.kill()
    out, _ = process.communicate(timeout=TOO_LONG)
    assert process.returncode == -signal.SIGKILL
    assert_all_but_the_last(shell, last_traced(out))
    report = json.loads(shell.traceonce("report", "run.jsonl", "--format", "json").out)
    assert report["exit_code"] is None
    ended = f"process {number} ended without closing its recording"
    assert any(ended in notice["text"] for notice in report["notices"])


def test_a_program_that_leaves_by_os_exit_and_its_child(shell: Shell) -> None:
    """`os._exit` runs no exit handler. The child, which ran the same function, has a history of its own."""
    shell.write(
        "leave.py",
        """\
        import os, subprocess, sys
        import jax, numpy as np

        @jax.jit
        def step(x):
            return x.sum()

        for width in (1, 2, 3):
            step(np.zeros(width))
        if len(sys.argv) == 1:
            subprocess.run([sys.executable, "leave.py", "child"], check=True)
            os._exit(5)
        """,
    )
    outcome = shell.traceonce("run", "--recording", "run.jsonl", "leave.py")
    assert (outcome.status, outcome.out) == (5, b"")
    assert "ended without closing its recording" in outcome.errors
    assert [path.name for path in shell.cwd.iterdir() if path.name.startswith("run")] == ["run.jsonl"]
    report = json.loads(shell.traceonce("report", "run.jsonl", "--format", "json").out)
    assert (report["exit_code"], report["processes"], report["command"]) == (5, 2, ["leave.py"])
    step = report["functions"][0]
    assert (step["name"], step["traces"], step["retraces"], step["calls"]) == ("step", 6, 4, 6)
    assert [(cause["path"], cause["count"]) for cause in step["causes"]] == [("x.shape[0]", 4)]
