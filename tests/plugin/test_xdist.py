"""With xdist: workers judge, the one that leads them prints, and writes the same file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from traceonce.integrations.pytest_plugin.call_phase import stable_id

SOURCE = """
import jax
import numpy as np
import pytest

def train(*sizes):
    @jax.jit
    def train_step(x): return x
    for size in sizes:
        train_step(np.zeros(size))

@pytest.mark.parametrize("number", range(1, 5))
def test_some(number):
    train(*range(1, number + 1))

@pytest.mark.xdist_group("one")
def test_of_a_group():
    train(1, 2, 3)

@pytest.mark.max_traces(1)
def test_too_many():
    train(1, 2)
"""


def run(folder: Path, *options: str) -> str:
    """What pytest prints in a process of its own; with and without xdist."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def failures(output: str) -> set[str]:
    return {line.replace("@one", "") for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))}


def before_the_summary(output: str) -> str:
    """What pytest tells before it repeats each failure in a line (whole on CI, else cut to the terminal)."""
    return output.partition("= short test summary")[0]


def told(output: str) -> list[str]:
    """Our summary, without times; functions that are equally bad come in any order."""
    section = before_the_summary(output).partition("= traceonce =")[2].splitlines()[1:-1]
    return sorted(re.sub(r"[\d.]+ (ms|s) lost", "# lost", line) for line in section)


def test_the_same_file_and_the_same_failures(tmp_path: Path) -> None:
    (tmp_path / "test_spread.py").write_text(SOURCE)
    alone, together = tmp_path / "alone.json", tmp_path / "together.json"
    update = ("--traceonce", "--traceonce-update-baseline", "--traceonce-baseline")
    first, second = run(tmp_path, *update, str(alone)), run(tmp_path, *update, str(together), "-n2")
    assert alone.read_bytes() == together.read_bytes()
    assert alone.read_text().count('"retraces"') == 5
    assert failures(first) == failures(second)
    assert len(failures(first)) == 1
    assert second.count("- traceonce -") == 1
    message = "train_step was traced 2 times, max_traces allows 1\n"
    assert before_the_summary(second).count(message) == 2  # the failure and the section
    assert "6 of 6 tests traced: 15 traces, 9 retraces, # lost" in told(first)
    assert told(first) == [line.replace("together", "alone") for line in told(second)]

    state = alone.read_text().replace('"retraces": 3', '"retraces": 2').replace('"retraces": 1', '"retraces": 9')
    alone.write_text(state)
    compared = ("--traceonce-baseline", str(alone))
    first, second = run(tmp_path, *compared), run(tmp_path, *compared, "-n2", "--dist", "loadgroup")
    assert failures(first) == failures(second)
    assert len(failures(first)) == 2
    assert before_the_summary(second).count("retraces 2 → 3: more than the baseline accepts\n") == 2
    assert told(first) == told(second)
    assert sum("retraces 9 → 1" in line for line in told(second)) == 2
    assert alone.read_text() == state


@pytest.mark.parametrize("nodeid", ["test_a.py::test_it[a@b]", "test_a.py::test_it[a@b]@one"])
def test_a_group_is_no_part_of_the_name_of_a_test(nodeid: str) -> None:
    """Under pytest 8 xdist changes the node id; a later pytest, as may be the one here, does not let it."""
    item: Any = SimpleNamespace(nodeid=nodeid, name="test_it[a@b]", parent=SimpleNamespace(nodeid="test_a.py"))
    assert stable_id(item) == "test_a.py::test_it[a@b]"
