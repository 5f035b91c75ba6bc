"""A program that never imports TensorFlow pays next to nothing, and is told that nothing was traced."""

from __future__ import annotations

import ast
import json

import pytest
from shells import Shell

MODULES = "import sys; print(sorted(sys.modules))"


@pytest.fixture
def loaded(shell: Shell) -> set[str]:
    """The modules that are in a watched process and not in a plain one."""
    plain, watched = (set(ast.literal_eval(run("-c", MODULES).text)) for run in (shell.python, shell.run))
    return watched - plain


def test_no_framework_and_no_report_is_loaded(loaded: set[str]) -> None:
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & {"tensorflow", "keras", "numpy", "jax", "torch", "click", "rich", "multiprocessing", "subprocess"}
    rooms = {name for name in loaded if name.startswith("traceonce.")}
    later = ("commands", "explain", "report", "api", "backends.tensorflow", "observe.launching")
    assert not {name for name in rooms if name.startswith(tuple(f"traceonce.{room}" for room in later))}


def test_next_to_nothing_is_loaded(loaded: set[str]) -> None:
    """Waiting for an import takes a finder on `sys.meta_path`, and neither facts nor a JSON library."""
    ours = sorted(name for name in loaded if name.partition(".")[0] == "traceonce")
    assert len(ours) <= 5, ours
    heavy = {"msgspec", "typing_extensions", "importlib.metadata", "email", "inspect", "uuid"}
    assert not loaded & heavy


def test_the_report_says_that_nothing_was_traced(either_shell: Shell) -> None:
    either_shell.write("plain.py", "print('hello')")
    outcome = either_shell.traceonce("run", "plain.py")
    assert (outcome.status, outcome.out) == (0, b"hello\n")
    assert outcome.errors.startswith("traceonce  no function was traced\n")
    assert "never imported a framework" in outcome.errors
    assert "\x1b" not in outcome.errors


def test_the_report_on_standard_output_where_asked(shell: Shell) -> None:
    outcome = shell.traceonce("run", "--format", "json", "-o", "-", "-c", "print('hello', flush=True); exit(6)", "a")
    first, _, rest = outcome.text.partition("\n")
    report = json.loads(rest)
    assert (outcome.status, first, outcome.err) == (6, "hello", b"")
    assert report["schema"] == "traceonce.recording/1"
    assert report["command"] == ["-c", "print('hello', flush=True); exit(6)", "a"]
    assert (report["exit_code"], report["functions"], report["events"]) == (6, [], [])
    assert report["seconds"] > 0


@pytest.mark.parametrize("verdict", ["retracing", "bounded", "failed", "stale", "confused", "recompiling"])
def test_nothing_to_fail_on(shell: Shell, verdict: str) -> None:
    assert shell.traceonce("run", "--fail-on", verdict, "-c", "pass").status == 0


def test_the_last_run_is_remembered(shell: Shell) -> None:
    for number in (4, 5):
        assert shell.run("-c", f"raise SystemExit({number})").status == number
    outcome = shell.traceonce("report", "--latest", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["exit_code"]) == (0, 5)
    assert len(list((shell.home / "recordings").iterdir())) == 2


def test_a_recording_cut_short_by_its_writer(shell: Shell) -> None:
    """A process that dies in the middle of a line (a full disk) does not take the run's ending with it."""
    shell.write(
        "dies.py",
        """\
        import os
        line = '{"entry":"header","schema":"traceonce.recording/1","run":"r","process":"1","clock":1.0}'
        open("run.jsonl", "w").write(line + '\\n{"entry":"notice","te')
        os._exit(5)
        """,
    )
    assert shell.run("--recording", "run.jsonl", "dies.py").status == 5
    outcome = shell.traceonce("report", "run.jsonl", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["exit_code"]) == (0, 5)
    assert "line 2" in outcome.text
