"""The programs that show the causes of TensorFlow, in the docs and at the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cause_examples import examples_that_fail
from traceonce.facts import CauseCode


def test_each_example_makes_its_cause_happen(tmp_path: Path) -> None:
    compiled = CauseCode.COMPILE  # in test_compilations.py, for it takes a process of its own
    assert examples_that_fail("tensorflow", tmp_path, compiled) == []
