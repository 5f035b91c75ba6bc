"""`traceonce fix` on a PyTorch program, end to end: what can be proved is written, all else is left, with a reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
import torch

weights = {size: 1.0 / size for size in range(2, 14)}


@torch.compile(backend="eager", dynamic=False)
def average(x):
    return x.sum(0) / x.shape[0]


@torch.compile(backend="eager", dynamic=False)
def weighted(x):
    return x.sum() * weights[x.shape[0]]


for length in range(2, 14):
    batch = torch.rand(length, 3)
    print(average(batch).sum().item())
for length in range(2, 14):
    print(weighted(torch.ones(length)).item())
"""
REPAIRED = PROGRAM.replace(
    "    print(average(batch)", "    torch._dynamo.mark_dynamic(batch, 0)\n    print(average(batch)"
)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("fixed")
    (folder / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "traceonce", "fix", "--write", "--json", "fix.json", "train.py"]
    return folder, subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "fix.json").read_text()))


def test_what_is_proved_is_written(fixed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = fixed
    assert (folder / "train.py").read_text() == REPAIRED, done.stderr
    (fix,) = next(each for each in result(folder)["functions"] if each["name"] == "average")["fixes"]
    proof = fix["proof"]
    assert (fix["recipe"], fix["safety"], proof["verdict"]) == ("mark_dynamic", "safe", "proved")
    assert (proof["before"]["traces"], proof["after"]["traces"]) == (8, 1)
    assert (proof["compared"], proof["outputs_equal"], proof["deterministic"]) == (12, True, True)
    assert proof["probes"] > 0
    assert (proof["probe_differences"], proof["probe_errors"]) == ([], [])


def test_what_cannot_be_proved_is_left_and_the_reason_told(
    fixed: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = fixed
    assert done.returncode == 1  # something is left
    assert "weighted: no change could be proved" in done.stderr
    assert "ConstraintViolationError" in done.stderr
    attempts = result(folder)["fix"]["attempts"]
    assert [(each["recipe"], each["verdict"]) for each in attempts] == [
        ("mark_dynamic", "refuted"),
        ("dynamic", "not_proved"),
        ("dynamic", "not_proved"),
        ("dynamic_sources", "not_proved"),
    ]


REFUTED = """\
import torch


@torch.compile(backend="eager")
def doubled(x):
    return x * 2


for kind in [torch.float32, torch.float64, torch.float16] * 3:
    print(doubled(torch.ones(3, dtype=kind)).dtype)
"""


def test_what_was_refuted_is_not_advised(tmp_path: Path) -> None:
    """Every dtype is tried, and comes out again: to cast to one is no advice either."""
    (tmp_path / "train.py").write_text(REFUTED)
    command = [sys.executable, "-m", "traceonce", "fix", "--json", "fix.json", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    tried = {each["recipe"]: each["verdict"] for each in result(tmp_path)["fix"]["attempts"]}
    assert tried["cast"] == "refuted", done.stderr
    (function,) = result(tmp_path)["functions"]
    assert "uniform_argument" not in [fix["recipe"] for fix in function["fixes"]]
    assert ".to(torch." not in done.stderr.partition("traceonce  1 function")[2]
