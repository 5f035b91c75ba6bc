"""The programs that show the causes of PyTorch, in the docs and at the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cause_examples import examples_that_fail


def test_each_example_makes_its_cause_happen(tmp_path: Path) -> None:
    assert examples_that_fail("torch", tmp_path) == []
