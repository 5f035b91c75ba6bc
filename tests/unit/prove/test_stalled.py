"""A call beyond the run that never ends: the run ends with its results, and with its own exit status."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """\
import atexit, time
from traceonce.prove import observed_run

observed_run.STALLED = 0.2
atexit.register(lambda: (observed_run._end_when_stalled(), time.sleep(60)))
{last}
"""


@pytest.mark.parametrize(("last", "status"), [("pass", 0), ("raise ValueError", 1)])
def test_a_call_that_never_ends_is_left_with_the_status_of_the_program(last: str, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(last=last)], capture_output=True, timeout=50)
    assert done.returncode == status
