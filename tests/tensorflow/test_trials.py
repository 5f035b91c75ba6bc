"""Trials with the real framework: each in a process of its own, measured, and whatever it does, contained."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from traceonce.errors import RecordError
from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import TrialProcess, TrialRequest
from traceonce.trials.interpreters import start_trials

SOURCE = """
import ctypes, logging, os, subprocess, sys, time
import tensorflow as tf

FROM_PARENT = os.getppid()

def failure():
    @tf.function
    def train_step(x, step):
        print("Tracing", step)
        return x * step
    return [train_step(tf.constant([1.0, 2.0]), float(step)) for step in range(3)]

def failure_of_state():
    return tf.config.functions_run_eagerly()

def failure_that_leaves_state():
    tf.config.run_functions_eagerly(True)
    return tf.config.functions_run_eagerly()

def failure_that_hangs():
    subprocess.Popen(["sleep", "300"])
    time.sleep(300)

def failure_that_crashes():
    ctypes.string_at(0)

def failure_that_leaves():
    sys.exit(7)

def failure_that_writes():
    open("left.txt", "w").write("x")
    open(os.path.expanduser("~/in_home.txt"), "w").write("x")
    return os.getcwd()

def failure_that_raises():
    raise KeyError("mine")

def failure_of_outputs():
    return {"ragged": tf.ragged.constant([[1], []]), "text": tf.constant("é"), "none": None, "variable": tf.Variable(2),
            "tuple": (1, True), "nan": float("nan"), "complex": tf.constant(1j)}

def failure_that_compiles():
    @tf.function(jit_compile=True, reduce_retracing=True)
    def square(x):
        return x * x
    return [square(tf.ones([size])) for size in (2, 3, 4, 5)]

def failure_in_a_case(case):
    return case
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where these trials work. Other test processes run trials, too, and theirs are no business of ours."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def trials(scratch: Path) -> Iterator[TrialProcess]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(scratch))
        process = start_trials(sys.executable, "tensorflow")
    yield process
    process.close()


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trials") / "experiment.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(trials: TrialProcess, module: Path, name: str, **options: object) -> TrialMeasurement:
    return trials.measure(TrialRequest(str(module), name, **options))  # type: ignore[arg-type]


def test_what_is_measured(trials: TrialProcess, module: Path) -> None:
    seen = run(trials, module, "failure")
    (function,) = seen.functions
    assert seen.outputs == [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]
    assert (function.name, function.traces) == ("failure.<locals>.train_step", 3)
    assert [(cause.code, cause.path) for cause in function.causes] == [("value", "step")]
    assert function.records == ("tensorflow/retracing-python-number",)
    assert seen.log == "Tracing 0.0\nTracing 1.0\nTracing 2.0\n"
    assert "retraced 2 times in 3 calls" in seen.report
    assert "train.py:8, called from train.py:12" in seen.report
    assert "traceonce explain tensorflow/retracing-python-number" in seen.report
    assert [line.partition(" · ")[0] for line in seen.retraces_logged] == [
        f"WARNING:traceonce:failure.<locals>.train_step retraced, the {which} time: step: now {now}, before {was} "
        "(a Python float)"
        for which, now, was in (("1st", "1.0", "0.0"), ("2nd", "2.0", "1.0"))
    ]
    assert (seen.framework, seen.version) == ("tensorflow", trials.framework.version)
    assert (seen.error, seen.broken, seen.wrote, seen.compilations) == (None, None, (), 0)


def test_each_starts_clean(trials: TrialProcess, module: Path) -> None:
    assert run(trials, module, "failure_that_leaves_state").outputs is True
    assert run(trials, module, "failure_of_state").outputs is False


def test_one_that_hangs_is_stopped_with_all_that_it_started(trials: TrialProcess, module: Path) -> None:
    seen = run(trials, module, "failure_that_hangs", limit=2.0)
    assert seen.broken == "it ran longer than 2 s and was stopped"
    assert run(trials, module, "failure_of_state").outputs is False


def test_one_that_crashes(trials: TrialProcess, module: Path) -> None:
    assert run(trials, module, "failure_that_crashes").broken == "it was killed by SIGSEGV"
    assert run(trials, module, "failure_of_state").outputs is False


def test_one_that_leaves(trials: TrialProcess, module: Path) -> None:
    seen = run(trials, module, "failure_that_leaves")
    assert seen.broken is not None
    assert seen.broken.startswith("it exited with status 1 before it was measured; its last message: SystemExit: 7")


def test_one_that_writes_does_so_in_a_folder_of_its_own(trials: TrialProcess, module: Path, scratch: Path) -> None:
    seen = run(trials, module, "failure_that_writes")
    assert seen.wrote == ("in_home.txt", "left.txt")
    assert Path(seen.outputs).is_relative_to(scratch)
    assert not list(scratch.glob("traceonce-trial-*"))


def test_one_that_raises(trials: TrialProcess, module: Path) -> None:
    error = run(trials, module, "failure_that_raises").error
    assert error is not None
    assert error.types[:2] == ("KeyError", "LookupError")
    assert error.line == "KeyError: 'mine'"
    assert 'File "train.py", line' in error.traceback


def test_outputs_as_plain_values(trials: TrialProcess, module: Path) -> None:
    outputs = run(trials, module, "failure_of_outputs").outputs
    assert outputs == {
        "ragged": [[1], []],
        "text": "é",
        "none": None,
        "variable": 2,
        "tuple": [1, True],
        "nan": "nan",
        "complex": "1j",
    }


def test_compilations_are_counted(trials: TrialProcess, module: Path) -> None:
    seen = run(trials, module, "failure_that_compiles")
    assert (seen.compilations, seen.traces()) == (4, 2)
    assert "device_compilation_profiler" not in seen.log


def test_a_case_is_passed_on(trials: TrialProcess, module: Path) -> None:
    assert run(trials, module, "failure_in_a_case", case="a mean").outputs == "a mean"


@pytest.mark.parametrize(
    ("source", "words"), [("def failure(:", "SyntaxError"), ("import nowhere_to_be_found", "No module named")]
)
def test_a_module_that_cannot_be_loaded(trials: TrialProcess, tmp_path: Path, source: str, words: str) -> None:
    (tmp_path / "broken.py").write_text(source)
    seen = run(trials, tmp_path / "broken.py", "failure")
    assert seen.broken is not None
    assert words in seen.broken


def test_a_process_that_is_lost_is_started_again(module: Path) -> None:
    process = start_trials(sys.executable, "tensorflow")
    try:
        process._server._process.kill()  # type: ignore[union-attr]  # as the kernel does when memory is short
        assert run(process, module, "failure_of_state").broken == "the process that runs the trials was lost"
        assert run(process, module, "failure_of_state").outputs is False
    finally:
        process.close()


def test_a_framework_that_is_not_installed() -> None:
    with pytest.raises(RecordError, match="the framework could not be imported: ModuleNotFoundError"):
        TrialProcess([sys.executable, "-m", "traceonce.trials.trial_server", "not_a_framework"], {})
    with pytest.raises(RecordError, match="there is no backend for 'not_a_framework'"):
        start_trials(sys.executable, "not_a_framework")
