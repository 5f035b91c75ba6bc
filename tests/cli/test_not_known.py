"""A gate does not fail open: where what was asked cannot be known, the exit status says so."""

from __future__ import annotations

import resource
import sys

import pytest

from tests.cli.shells import Shell

NOT_KNOWN = 6

# Traces without a retrace, until no file can grow any more: a full disk, for this process alone. JAX, since it is the
# quickest to import: that is most of what these tests take.
FILLING = """\
import functools, os, resource, sys
import jax

@functools.partial(jax.jit, static_argnames="n")
def step(x, n):
    return x * n

step(1.0, 0)
if "full" in sys.argv:
    recording = os.environ["TRACEONCE_RUN"].split("\\x1f")[0]
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(recording) + 50, hard))
    for n in range(8):
        step(1.0, n)
print("done")
"""
# Our own analysis of the run, with a fault in it.
PLANTED = """\
import traceonce.computation, traceonce.analysis.diagnoses
from traceonce.commands.main import main

def fault(recording):
    {fault}

traceonce.computation.SECONDS = 1.0
traceonce.analysis.diagnoses.diagnose_linked = fault
main()
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    shell = Shell(tmp_path_factory.mktemp("filled"))
    shell.write("filling.py", FILLING)
    return shell


GATES = [["--fail-on", "failed"], ["--max-traces", "100"], ["--baseline", "accepted.json"]]


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate[0])
def test_a_full_disk(filled: Shell, gate: list[str]) -> None:
    """Nothing that was recorded is against it, but not all was recorded."""
    filled.write("accepted.json", '{"schema": "traceonce.baseline/1"}')
    arguments = ["--recording", "run.jsonl", *gate, "filling.py", "full"]
    outcome = filled.run(*arguments)
    assert (outcome.status, outcome.out) == (NOT_KNOWN, b"done\n")
    assert f"Recorded so far: traceonce report {filled.cwd / 'run.jsonl'}\n" in outcome.errors
    said = outcome.errors.splitlines()[-1]
    assert said.startswith("traceonce: ")
    assert "unknown (exit status 6)" in said
    assert "could not write to its recording (OSError: File too large)" in said
    report = filled.traceonce("report", "run.jsonl")
    assert "the recording ends there; make room, or name another file with --recording" in report.text
    assert "ended without closing its recording" not in report.text
    assert sorted(path.name for path in filled.cwd.iterdir()) == ["accepted.json", "filling.py", "run.jsonl"]


def test_without_a_gate_the_status_is_the_programs(filled: Shell) -> None:
    outcome = filled.run("filling.py", "full")
    assert (outcome.status, outcome.out) == (0, b"done\n")


def test_with_a_gate_and_room_it_passes(filled: Shell) -> None:
    assert filled.run("--fail-on", "retracing", "filling.py").status == 0


def test_a_state_that_is_not_whole_is_not_accepted(filled: Shell) -> None:
    arguments = ["--baseline", "new.json", "--update-baseline", "filling.py", "full"]
    assert filled.run(*arguments).status == NOT_KNOWN
    assert not (filled.cwd / "new.json").exists()


def test_a_recording_that_cannot_be_begun(shell: Shell) -> None:
    """Said before the program runs: status 2, and nothing of it has happened."""
    shell.write("program.py", "print('ran')")

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    outcome = shell.traceonce("run", "--recording", "run.jsonl", "program.py", preexec_fn=no_room)
    assert (outcome.status, outcome.out) == (2, b"")
    assert outcome.errors == (
        "traceonce: --recording run.jsonl: cannot be written: File too large. Name another file with --recording.\n"
    )
    assert not (shell.cwd / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise KeyError('planted')", "KeyError: 'planted'"),
        ("import os; os.abort()", "its process was ended by SIGABRT"),
        ("return None in range(2**63)", "it takes longer than 1.0 s"),
    ],
    ids=["raises", "crashes", "never ends"],
)
def test_an_error_of_our_own(shell: Shell, fault: str, said: str) -> None:
    """The program has succeeded; what it was to be held to is not known, and its recording is kept."""
    shell.write("program.py", "print('ran')")
    shell.write("planted.py", PLANTED.format(fault=fault))
    command = [sys.executable, "planted.py", "run", "--recording", "run.jsonl"]
    gated = shell.execute([*command, "--fail-on", "retracing", "program.py"])
    assert (gated.status, gated.out) == (NOT_KNOWN, b"ran\n"), gated.errors
    assert said in gated.errors
    assert "the recording is kept: run.jsonl; to show it: traceonce report run.jsonl\n" in gated.errors
    assert shell.execute([*command, "program.py"]).status == 0
    assert shell.traceonce("report", "run.jsonl").status == 0


def test_a_process_that_cannot_be_watched(shell: Shell) -> None:
    """Not only written to standard error: the recording knows it, and with it the gate."""
    shell.write("program.py", "import tensorflow\nprint('ran')")
    shell.write("tensorflow.py", "import sys\nsys.modules['traceonce.in_program'] = None\n")
    outcome = shell.traceonce("run", "--fail-on", "retracing", "program.py")
    assert (outcome.status, outcome.out) == (NOT_KNOWN, b"ran\n")
    assert "is not watched: ModuleNotFoundError" in outcome.errors.splitlines()[-1]
