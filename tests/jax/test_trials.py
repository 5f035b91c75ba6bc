"""Trials with JAX: forked from a process that has imported it, watched, and written down like TensorFlow's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from traceonce.knowledge.measurement import TrialMeasurement
from traceonce.knowledge.trial_runner import TrialProcess, TrialRequest
from traceonce.trials.interpreters import start_trials

SOURCE = """
import jax, jax.numpy as jnp, numpy as np

jax.config.update("jax_num_cpu_devices", 2)

def failure():
    @jax.jit
    def encode(x):
        print("tracing", x.shape)
        return x * 2.0
    return {"outputs": [encode(np.ones(n, np.float32)) for n in (1, 2, 3)], "key": jnp.int32(3), "nan": jnp.log(-1.0)}

def failure_that_leaks():
    kept = []
    @jax.jit
    def step(x):
        kept.append(x + 1.0)
        return x
    step(1.0)
    return kept[0] + 1.0

def failure_of_devices():
    total = jax.jit(lambda x: x.sum())
    return [total(jax.device_put(np.ones(3, np.float32), device)) for device in jax.devices("cpu")]
"""


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TrialProcess, Path]]:
    path = tmp_path_factory.mktemp("trials") / "experiment.py"
    path.write_text(SOURCE)
    process = start_trials(sys.executable, "jax")
    yield process, path
    process.close()


def measure(trials: tuple[TrialProcess, Path], name: str) -> TrialMeasurement:
    process, path = trials
    return process.measure(TrialRequest(str(path), name, None, 60.0))


def test_traces_causes_outputs_and_log(trials: tuple[TrialProcess, Path]) -> None:
    seen = measure(trials, "failure")
    assert (seen.framework, seen.broken, seen.error) == ("jax", None, None)
    assert seen.outputs == {"outputs": [[2.0], [2.0, 2.0], [2.0, 2.0, 2.0]], "key": 3, "nan": "nan"}
    (function,) = seen.functions
    assert (function.name, function.traces) == ("failure.<locals>.encode", 3)
    assert [(cause.code, cause.path) for cause in function.causes] == [("shape", "x.shape[0]")]
    assert function.records == ("jax/recompile-shape",)
    assert seen.log.splitlines() == ["tracing (1,)", "tracing (2,)", "tracing (3,)"]
    assert "jax.jit at train.py:7, called from train.py:" in seen.retraces_logged[0]


def test_an_error_has_no_frame_and_no_folder_of_ours(trials: tuple[TrialProcess, Path]) -> None:
    error = measure(trials, "failure_that_leaks").error
    assert error is not None
    assert error.types[0] == "UnexpectedTracerError"
    assert "train.py:15" in error.message
    assert "traceonce/trials" not in error.message + error.traceback
    assert "fork_server" not in error.message + error.traceback
    assert "/tmp" not in error.message + error.traceback


def test_a_compilation_without_a_trace(trials: tuple[TrialProcess, Path]) -> None:
    seen = measure(trials, "failure_of_devices")
    assert (seen.outputs, seen.traces(), seen.compilations) == ([3.0, 3.0], 1, 2)
