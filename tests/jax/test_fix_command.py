"""`traceonce fix` on a JAX program: from the command to the file that it writes."""

from __future__ import annotations

import json
import os
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


SOLVERS = """\
import jax


class Solver:
    def __init__(self):
        self.left = [3.0]
        self.update = jax.jit(lambda x: x / 2)

    def run(self, x):
        self.left.append(self.left[-1] - 1)
        return self.update(x) * self.left[-1]
"""
FITS = """\
import jax.numpy as jnp
from solvers import Solver

for turn in range(6):
    solver = Solver()
    print(turn, solver.run(jnp.ones(3)).sum())
"""


def test_what_was_refuted_is_not_advised(tmp_path: Path) -> None:
    """A library's object counts its runs: kept, it gives other results, and so it is not advised to keep it."""
    installed = tmp_path / "env/lib/python3.11/site-packages"
    installed.mkdir(parents=True)
    (installed / "solvers.py").write_text(SOLVERS)
    (tmp_path / "fits.py").write_text(FITS)
    command = [sys.executable, "-m", "traceonce", "fix", "--json", "fix.json", "fits.py"]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False, env=environment
    )
    found = json.loads((tmp_path / "fix.json").read_text())
    tried = {each["recipe"]: each["verdict"] for each in found["fix"]["attempts"]}
    assert tried["kept_object"] == "refuted", done.stderr
    advised = [fix["snippet"] for fix in found["functions"][0]["fixes"]]
    assert not [snippet for snippet in advised if "keep it" in snippet], advised
    assert any(snippet.startswith("## ") for snippet in advised), "the report for its maintainers"
