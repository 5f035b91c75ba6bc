"""Does a trace fail where the program would not, run eagerly?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from traceonce.facts import FunctionId, Recording
from traceonce.facts.replay import ReplayResult, Returned
from traceonce.prove.program import Program
from traceonce.prove.stage_client import Run

STEP = FunctionId("step", "train.py", 3)


def run(*errors: str | None, status: int = 0) -> Run:
    replay = ReplayResult(returned=tuple(Returned(STEP, error=error) for error in errors))
    return Run(status, Recording(), replay, "", "", 1.0)


@pytest.mark.parametrize(
    ("seen", "right", "fails"),
    [
        (run("ValueError"), run(None), True),  # the program has caught it
        (run(status=1), run(None), True),
        (run(None, "TypeError"), run(None, "TypeError"), False),  # it raises that either way
        (run("ValueError", status=1), run("ValueError", status=1), False),
        (run(None), run(None), False),
    ],
)
def test_what_fails_by_tracing_alone(seen: Run, right: Run, fails: bool, tmp_path: Path) -> None:
    replays: Any = None
    program = Program(replays, {}, lambda _: [], lambda _: None)
    assert program.fails_by_tracing(seen, "train.py:step"), "supposed, until it was run eagerly"
    program._oracle = right
    assert program.fails_by_tracing(seen, "train.py:step") is fails
