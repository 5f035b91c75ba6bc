"""`traceonce fix` on a JAX program: from the command to the file that it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = '''\
"""Two illnesses in one program, in two files."""

from functools import partial

import jax
import jax.numpy as jnp
from model import predict


@partial(jax.jit, static_argnums=(1,), donate_argnums=0)
def update(weights, step):
    return weights - 0.1 * step


weights = jnp.ones(3)
for step in range(5):
    weights = update(weights, step)
    print(step, predict(weights))
'''
MODEL = """\
from jax import jit


def predict(weights):
    return float(jit(lambda w: (w**2).sum())(weights))
"""
WRITTEN = PROGRAM.replace(
    "@partial(jax.jit, static_argnums=(1,), donate_argnums=0)", "@partial(jax.jit, donate_argnums=0)"
)
MODEL_WRITTEN = """\
from jax import jit

traced_lambda = jit(lambda w: (w**2).sum())


def predict(weights):
    return float(traced_lambda(weights))
"""


def test_a_program_of_two_files_is_repaired_proved_and_written(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "model.py").write_text(MODEL)
    command = [sys.executable, "-m", "traceonce", "fix", "--write", "--json", "fix.json", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "train.py").read_text() == WRITTEN
    assert (tmp_path / "model.py").read_text() == MODEL_WRITTEN
    functions = json.loads((tmp_path / "fix.json").read_text())["functions"]
    fixes = {function["name"]: function["fixes"][0] for function in functions}
    assert {name: (fix["recipe"], fix["safety"]) for name, fix in fixes.items()} == {
        "update": ("array_argument", "safe"),
        "predict.<locals>.<lambda>": ("hoist", "safe"),
    }
    assert all(fix["proof"]["verdict"] == "proved" and fix["proof"]["compared"] == 5 for fix in fixes.values())
