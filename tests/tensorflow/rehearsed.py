"""Rehearsing in the test process: `deterministic` is left out, as it would stay for the tests to come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from traceonce.backends.base import Rehearsing
from traceonce.backends.tensorflow import TensorFlow
from traceonce.facts.rehearsal import RehearsalSettings, Returned


@contextlib.contextmanager
def rehearsal(
    enough: Callable[[], None] = lambda: None,
    *,
    calls: int | None = None,
    eager: bool = False,
    probe: tuple[str, ...] = (),
) -> Iterator[Rehearsing]:
    settings = RehearsalSettings(calls=calls, eager=eager, deterministic=False, probe=probe)
    rehearsing = TensorFlow().rehearse(settings, enough)
    try:
        yield rehearsing
        problems = rehearsing.result().problems
        assert problems == (), problems
    finally:
        rehearsing.stop()


def arrays(returned: Returned) -> list[Any]:
    """The numbers that a call returned."""
    found = []
    for value in returned.values:
        assert value.data is not None
        found.append(np.frombuffer(value.data, value.dtype).reshape(value.shape))
    return found
