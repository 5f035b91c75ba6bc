"""No limit may outlive its test: its hooks would. And what a program does as it should: without any traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tensorflow.edited import Seen, run
from traceonce.limits.program_limits import limits


@pytest.fixture(autouse=True)
def no_limit_outlives_its_test() -> Iterator[None]:
    yield
    limits.clear()


@pytest.fixture
def eagerly(tf: Any) -> Callable[[str, Path], Seen]:
    """Runs a program as it should be: without any traces."""

    def run_eagerly(source: str, folder: Path) -> Seen:
        tf.config.run_functions_eagerly(True)
        try:
            return run(source, folder)
        finally:
            tf.config.run_functions_eagerly(False)

    return run_eagerly
