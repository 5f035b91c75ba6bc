"""Play a workload: run it with some decorator, count its traces, keep what it gives, and compare.

A workload is a module in `workloads/`: a docstring, `run(function)`, which compiles with the decorator that it is given
and returns the output of every call and the variables that it leaves, and `FEWEST` traces, with one sentence `WHY`.
The fewest are those that the rules of `traceonce.function` need to learn what varies and to keep the meaning.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

WORKLOADS = Path(__file__).parent / "workloads"
ULPS = 4  # constants that Python folds in double precision are worked out in single precision by a lifted trace

Decorator = Callable[[Callable[..., Any]], Any]


class Played(NamedTuple):
    """What the caller of a workload sees, and how often its functions were traced."""

    results: list[Any]
    traces: int


def names() -> list[str]:
    return sorted(path.stem for path in WORKLOADS.glob("*.py"))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"workload_{name}", WORKLOADS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play(workload: ModuleType, function: Decorator) -> Played:
    """Run it; each run of a body is a trace, since a compiled body runs in Python only then."""
    import tensorflow as tf

    traced: list[str] = []

    def counted(body: Callable[..., Any]) -> Any:
        @functools.wraps(body)
        def counting(*args: Any, **kwargs: Any) -> Any:
            traced.append(body.__name__)
            return body(*args, **kwargs)

        return function(counting)

    results = workload.run(counted)
    values = [tf.nest.map_structure(_value, result) for result in results]
    return Played(values, len(traced))


class Fresh:
    """A `tf.function` that is made anew for every call: no trace is ever used again, so none can be wrongly used."""

    def __init__(self, body: Callable[..., Any]) -> None:
        self._body = body

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        import tensorflow as tf

        return tf.function(self._body)(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)


def first_difference(expected: list[Any], found: list[Any]) -> str | None:
    """Where two lists of results differ in structure, dtype, shape or value; None where they do not."""
    import tensorflow as tf

    if len(expected) != len(found):
        return f"{len(found)} results instead of {len(expected)}"
    for place, (one, other) in enumerate(zip(expected, found, strict=True)):
        try:
            tf.nest.assert_same_structure(one, other)
        except (TypeError, ValueError) as error:
            return f"result {place}: {error}"
        for left, right in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
            if not _alike(left, right):
                return f"result {place}: {right!r} instead of {left!r}"
    return None


def _value(result: Any) -> Any:
    return result.numpy() if hasattr(result, "numpy") else result


def _alike(left: Any, right: Any) -> bool:
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind != "f":
        return bool(np.all(left == right))
    allowed = ULPS * np.spacing(np.max(np.abs(left), initial=0))
    return bool(np.all(np.abs(left - right) <= allowed))
