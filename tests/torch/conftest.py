"""No limit may outlive its test, nor may what `torch.compile` has compiled: graphs hang on code, not on functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from traceonce.limits.program_limits import limits


@pytest.fixture(autouse=True)
def no_limit_outlives_its_test() -> Iterator[None]:
    yield
    limits.clear()


@pytest.fixture
def dynamo(torch: Any) -> Iterator[Any]:
    """`torch._dynamo`, empty: for tests whose functions share code, which would find each other's graphs."""
    torch._dynamo.reset()
    yield torch._dynamo
    torch._dynamo.reset()
