"""Several frameworks in one process, watched and limited together; and Keras, whose framework is a matter of taste."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import traceonce
from traceonce.errors import TracingLimitReached

KERAS = """\
import os, functools
if os.environ["KERAS_BACKEND"] == "torch":
    import torch
    torch.compile = functools.partial(torch.compile, backend="eager")  # inductor would take half a minute
import keras, numpy as np

model = keras.Sequential([keras.Input([3]), keras.layers.Dense(2), keras.layers.Dense(1)])
model.compile("sgd", "mse", jit_compile=True)
for size in (8, 6, 8, 5, 8):
    model.predict_on_batch(np.ones([size, 3], "float32"))  # here
print(keras.backend.backend())
"""


def test_three_frameworks_in_one_watch(tf: Any, jax: Any, torch: Any) -> None:
    torch._dynamo.reset()
    of_tf, of_jax = tf.function(lambda x: x + 1), jax.jit(lambda x: x + 1)
    of_torch = torch.compile(lambda x: x + 1, backend="eager")
    with traceonce.watch() as seen:
        for size, dtype in ((2, "float32"), (3, "float64"), (2, "float32")):
            of_tf(tf.zeros([size]))
            of_jax(jax.numpy.zeros([size]))
            of_torch(torch.zeros(2, dtype=getattr(torch, dtype)))
    assert {(d.backend, d.traces, d.causes[0].code.value, d.causes[0].path) for d in seen.diagnoses} == {
        ("tensorflow", 2, "shape", "x.shape[0]"),
        ("jax", 2, "shape", "x.shape[0]"),
        ("torch", 2, "dtype", "x.dtype"),
    }
    ids = [event.id for event in seen.events]
    assert len(set(ids)) == len(ids) == 6
    assert {"tensorflow", "jax", "torch"} <= set(seen.recording.environment)
    torch._dynamo.reset()


def test_one_limit_for_all_of_them(tf: Any, jax: Any, torch: Any) -> None:
    """Each function has its own count, and each refusal is an error of its framework's where that has one."""
    torch._dynamo.reset()
    of_torch = torch.compile(lambda x: x + 1, backend="eager")
    of_tf, of_jax = tf.function(lambda x: x + 1), jax.jit(lambda x: x + 1)
    refusals = []
    with traceonce.limit(0):
        for step, one, other in (
            (of_tf, tf.zeros([2]), tf.zeros([3])),
            (of_jax, jax.numpy.zeros([2]), jax.numpy.zeros([3])),
            (of_torch, torch.zeros(2), torch.zeros(2, dtype=torch.float64)),
        ):
            step(one)
            with pytest.raises(TracingLimitReached) as caught:
                step(other)
            refusals.append(caught.value)
    assert [refusal.breach.backend for refusal in refusals] == ["tensorflow", "jax", "torch"]
    assert isinstance(refusals[0], tf.errors.ResourceExhaustedError)
    torch._dynamo.reset()


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_keras_is_watched_on_any_backend(tmp_path: Path, name: str) -> None:
    """The user's own line is named, with the line of Keras beside it."""
    (tmp_path / "predict.py").write_text(KERAS)
    environment = os.environ | {"KERAS_BACKEND": name, "TRACEONCE_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "traceonce", "run", "--format", "json", "-o", "report.json", "predict.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{name}\n"), done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert name in report["environment"]
    functions = [function for function in report["functions"] if function["backend"] == name]
    line = next(number for number, text in enumerate(KERAS.splitlines(), 1) if "# here" in text)
    for function in functions:
        assert {(site["file"], site["line"]) for site in function["call_sites"]} == {("predict.py", line)}
        assert all("keras" in site["via"] for site in function["call_sites"])
    paths = {cause["path"] for function in functions for cause in function["causes"] if cause["code"] == "shape"}
    assert any(path.endswith(".shape[0]") for path in paths), functions
