"""A framework in thirty lines: functions over NumPy arrays that are traced once per dtype and shape.

`winding` is how far toys are wound up; a trace keeps what it was.

``@toyframe.traced`` traces for each size, ``@toyframe.traced(sizes="any")`` for all sizes at once.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np

__version__ = "1.0"
winding = 1


class Traced:
    def __init__(self, python: Callable[..., Any], sizes: str) -> None:
        functools.update_wrapper(self, python)
        self.python = python
        self.sizes = sizes
        self.signature = inspect.signature(python)
        self.known: set[object] = set()
        self.calls = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.signature.bind(*args, **kwargs)
        self.calls += 1
        key = tuple(self.key_of(value) for value in bound.arguments.values())
        if key not in self.known:
            self.trace(bound)
            self.known.add(key)
        return self.python(*args, **kwargs)

    def key_of(self, value: Any) -> object:
        if not isinstance(value, np.ndarray):
            return type(value), value
        return value.dtype.name, value.ndim if self.sizes == "any" else value.shape

    def trace(self, bound: inspect.BoundArguments) -> None:
        time.sleep(0.01)


def traced(function: Callable[..., Any] | None = None, *, sizes: str = "each") -> Any:
    return functools.partial(traced, sizes=sizes) if function is None else Traced(function, sizes)
