"""A trial leaves no trace: what it traces of other functions it keeps to itself.

A body that is traced with open dimensions calls other functions with them, and TensorFlow would keep what it traces for
those in their caches, where later calls with known sizes find it: also calls that are none of ours. So a trial gives
each of them a cache for the time it takes, and puts back what a first call changes in a function.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from traceonce.frameworks.tensorflow.dropin import tapes
from traceonce.frameworks.tensorflow.dropin.parts import FunctionCache, FunctionContext, polymorphic_function

_MISSING = object()
_FIRST_CALL = (
    *("_variable_creation_config", "_no_variable_creation_config", "_created_variables"),
    *("_concrete_variable_creation_fn", "_initializers"),
)


class Apart:
    """What one trial has traced of other functions; a trace that is kept keeps this, for its graph calls them."""

    def __init__(self, own: Any) -> None:
        self._own = own
        self._caches: dict[int, tuple[Any, Any]] = {}
        self._begun: list[tuple[Any, dict[str, Any]]] = []

    def takes(self, cache: Any) -> bool:
        return cache is not self._own

    def find(self, cache: Any, function_type: Any, context: Any) -> Any:
        known = self._caches.get(id(cache))
        return None if known is None else _lookup(known[1], function_type, context)

    def add(self, cache: Any, concrete: Any, context: Any, kind: Any = None) -> None:
        """`kind` is the type under which it is looked up, where that is not its own."""
        mine = self._caches.setdefault(id(cache), (cache, FunctionCache()))[1]
        kind = concrete.function_type if kind is None else kind
        _add(mine, Keyed(kind), context)
        mine._primary[context, kind] = concrete

    def begin(self, function: Any) -> None:
        """A function is about to be called for the first time."""
        state = vars(function)
        self._begun.append((function, {name: state.get(name, _MISSING) for name in _FIRST_CALL}))

    def put_back(self) -> None:
        for function, state in reversed(self._begun):
            for name, value in state.items():
                if value is _MISSING:
                    vars(function).pop(name, None)
                else:
                    vars(function)[name] = value
        self._begun.clear()


class Keyed:
    """What `FunctionCache.add` needs of a function: its type."""

    def __init__(self, function_type: Any) -> None:
        self.function_type = function_type


class _Here(threading.local):
    apart: Apart | None = None


_here = _Here()
_lock = threading.Lock()
_trials = 0
_lookup, _add = FunctionCache.lookup, FunctionCache.add
_initialize = polymorphic_function.Function._initialize


@contextlib.contextmanager
def apart(own: Any) -> Iterator[Apart]:
    """A trial on this thread, of the function whose cache is `own`. Raises `NotNow`."""
    trial = Apart(own)
    with tapes.hidden():
        outer, _here.apart = _here.apart, trial
        _place()
        try:
            yield trial
        finally:
            _remove()
            _here.apart = outer
            trial.put_back()


def taken(cache: Any) -> Apart | None:
    """The trial that keeps what this thread would add to this cache, if there is one."""
    trial = _here.apart
    return trial if trial is not None and trial.takes(cache) else None


@functools.wraps(_lookup)
def lookup(cache: Any, function_type: Any, context: Any = None) -> Any:
    found = _lookup(cache, function_type, context)
    trial = taken(cache)
    if found is None and trial is not None:
        found = trial.find(cache, function_type, context or FunctionContext())
    return found


@functools.wraps(_add)
def add(cache: Any, concrete: Any, context: Any = None) -> None:
    trial = taken(cache)
    if trial is None:
        _add(cache, concrete, context)
    else:
        trial.add(cache, concrete, context or FunctionContext())


@functools.wraps(_initialize)
def initialize(function: Any, *args: Any, **kwargs: Any) -> Any:
    if _here.apart is not None:
        _here.apart.begin(function)
    return _initialize(function, *args, **kwargs)


def _place() -> None:
    global _trials
    with _lock:
        _trials += 1
        FunctionCache.lookup, FunctionCache.add = lookup, add
        polymorphic_function.Function._initialize = initialize


def _remove() -> None:
    global _trials
    with _lock:
        _trials -= 1
        if not _trials:
            FunctionCache.lookup, FunctionCache.add = _lookup, _add
            polymorphic_function.Function._initialize = _initialize
