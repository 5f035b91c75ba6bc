"""The shells that tests run commands in, and the runs that many tests look at."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shells import CONSOLE_SCRIPT, MODULE, Recorded, Shell

RETRACING = """\
import sys
import tensorflow as tf

@tf.function
def train_step(x, step):
    return tf.reduce_sum(x) + tf.cast(step, tf.float32)

for step, width in enumerate([12, 9, 15, 20, 9, 12, 15, 20]):
    train_step(tf.zeros([2, width]), step)
print("arguments", sys.argv[1:])
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The console script."""
    return Shell(tmp_path)


@pytest.fixture(params=[CONSOLE_SCRIPT, MODULE], ids=["traceonce", "python -m traceonce"])
def either_shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    """The test is run twice: with the console script, and with ``python -m traceonce``."""
    return Shell(tmp_path, request.param)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A run that retraces, with the report as text and a named recording."""
    shell = Shell(tmp_path_factory.mktemp("recorded"))
    shell.write("train.py", RETRACING)
    outcome = shell.traceonce("run", "--recording", "run.jsonl", "train.py", "0", "--format", "x")
    return Recorded(shell, outcome, shell.cwd / "run.jsonl")


@pytest.fixture(scope="session")
def recorded_as_json(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The same program through ``python -m traceonce``: a JSON report, the default recording, and `--fail-on`."""
    shell = Shell(tmp_path_factory.mktemp("as_json"), MODULE)
    shell.write("train.py", RETRACING)
    outcome = shell.traceonce(
        "run", "--fail-on", "stale", "--fail-on", "retracing", "--format", "json", "-o", "report.json", "train.py", "0"
    )
    return Recorded(shell, outcome, shell.cwd / "report.json")


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Process numbers that a test adds; whichever is still alive at its end is killed."""
    numbers: list[int] = []
    yield numbers
    for number in numbers:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue
