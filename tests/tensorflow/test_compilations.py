"""XLA compiles once per shape under one trace, and once per value where a value decides a shape: seen with --xla."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from traceonce.facts import CauseCode
from traceonce.frameworks.tensorflow.examples import EXAMPLES

EXAMPLE = EXAMPLES[CauseCode.COMPILE]
PROGRAM = """
import tensorflow as tf

@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def by_shape(x):
    return tf.reduce_sum(x * 2)

@tf.function(jit_compile=True)
def by_value(n):
    return tf.reduce_sum(tf.fill([n], 1.0))

@tf.function(jit_compile=True)
def once(x):
    return x + 1

print([float(by_shape(tf.ones([n, 2]))) for n in (3, 3, 4, 5, 6, 3)])
print([float(by_value(tf.constant(n))) for n in (1, 2, 3, 4, 1)])
print([float(once(tf.constant(1.0))) for _ in range(3)])
"""
ANSWERS = "[12.0, 12.0, 16.0, 20.0, 24.0, 12.0]\n[1.0, 2.0, 3.0, 4.0, 1.0]\n[2.0, 2.0, 2.0]\n"


def run(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    (folder / "program.py").write_text(PROGRAM + EXAMPLE.program)
    command = [sys.executable, "-m", "traceonce", "run", *options, "--format", "json", "-o", "out.json", "program.py"]
    environment = {**os.environ, "TRACEONCE_HOME": str(folder), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    report = json.loads((folder / "out.json").read_text())
    return done, {function["name"]: function for function in report["functions"]}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run(tmp_path_factory.mktemp("xla"), "--xla")


def test_the_program_is_not_changed(watched: Any) -> None:
    done, _ = watched
    assert (done.returncode, done.stdout) == (0, ANSWERS)
    assert "device_compilation_profiler" not in done.stderr


def test_a_compilation_for_each_shape(watched: Any) -> None:
    function = watched[1]["by_shape"]
    assert (function["traces"], function["compiles"], function["verdict"]) == (1, 4, "recompiling")
    assert [(c["code"], c["path"], c["values"]) for c in function["causes"]] == [
        ("compile", "x.shape[0]", ["3", "4", "5", "6"])
    ]
    assert function["lost_seconds"] > 0


def test_a_compilation_for_each_value_that_decides_a_shape(watched: Any) -> None:
    function = watched[1]["by_value"]
    assert (function["traces"], function["compiles"], function["verdict"]) == (1, 4, "recompiling")
    (cause,) = function["causes"]
    assert (cause["code"], cause["evidence"], cause["count"]) == ("compile", "inferred", 3)
    assert "a value that decides a shape" in cause["now"]


def test_the_example_of_this_cause(watched: Any) -> None:
    function = watched[1]["double"]
    assert [(cause["code"], cause["path"]) for cause in function["causes"]] == [("compile", EXAMPLE.path)]
    assert function["records"] == [f"tensorflow/{EXAMPLE.record}"]


def test_one_compilation_is_fine(watched: Any) -> None:
    assert (watched[1]["once"]["compiles"], watched[1]["once"]["verdict"]) == (1, "ok")


def test_without_the_option_it_is_said_that_nobody_looked(tf: Any) -> None:
    import traceonce

    step = tf.function(lambda x: x + 1, jit_compile=True)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
    assert "compilations were not watched" in seen.report()
    assert seen.diagnoses[0].jit_compile
