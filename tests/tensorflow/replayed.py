"""RunningReplay in the test process: `deterministic` is left out, as it would stay for the tests to come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from traceonce.facts.replay import ReplaySettings, Returned
from traceonce.frameworks.base.backend import RunningReplay
from traceonce.frameworks.tensorflow import TensorFlow


@contextlib.contextmanager
def replay(
    enough: Callable[[], None] = lambda: None,
    *,
    calls: int | None = None,
    eager: bool = False,
    probe: tuple[str, ...] = (),
) -> Iterator[RunningReplay]:
    settings = ReplaySettings(calls=calls, eager=eager, deterministic=False, probe=probe)
    replaying = TensorFlow().replay(settings, enough)
    try:
        yield replaying
        problems = replaying.result().problems
        assert problems == (), problems
    finally:
        replaying.stop()


def arrays(returned: Returned) -> list[Any]:
    """The numbers that a call returned."""
    found = []
    for value in returned.values:
        assert value.data is not None
        found.append(np.frombuffer(value.data, value.dtype).reshape(value.shape))
    return found
