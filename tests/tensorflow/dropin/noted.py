"""Functions that note what they are traced with: traces are counted by what Python did, not by what is claimed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.tensorflow.dropin.paired import Maker


def noted(tf: Any, function: Maker, body: Callable[..., Any], **options: Any) -> tuple[Any, list[Any]]:
    """A function over this body, and a list of what it was traced with: the shapes of tensors, and other values."""
    seen: list[Any] = []

    @function(**{"autograph": False, **options})
    @functools.wraps(body)
    def step(*args: Any, **kwargs: Any) -> Any:
        seen.append([arg.shape if hasattr(arg, "shape") else arg for arg in (*args, *kwargs.values())])
        return body(*args, **kwargs)

    return step, seen


class Pair(NamedTuple):
    a: Any
    b: Any
