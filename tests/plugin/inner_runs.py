"""What the tests of the plugin share: how an inner run is called, and what its test files begin with."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TypeAlias

import pytest

Run: TypeAlias = Callable[..., pytest.RunResult]
HEAD = "import pytest\nimport tensorflow as tf\nimport traceonce\n\n"
# hypothesis would be imported anew by every inner run, for a second each.
PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-o", "asyncio_default_fixture_loop_scope=function")


def whole(source: str) -> str:
    """The text of an inner test file."""
    return HEAD + textwrap.dedent(source)


def line_of(text: str, source: str) -> int:
    """The number that a line of an inner test file has."""
    return next(number for number, line in enumerate(whole(source).splitlines(), 1) if text in line)
