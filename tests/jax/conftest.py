"""No limit may outlive its test: its hooks would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from traceonce.limits.program_limits import limits


@pytest.fixture(autouse=True)
def no_limit_outlives_its_test() -> Iterator[None]:
    yield
    limits.clear()
