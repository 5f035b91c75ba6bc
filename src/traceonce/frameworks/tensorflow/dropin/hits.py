"""Hits go past the counter that TensorFlow keeps of calls; they are added to it before somebody reads it.

That is: whoever watches, and TensorFlow itself, which warns where many of the last calls were traced.
"""

from __future__ import annotations

import weakref
from typing import Any

from traceonce.frameworks.tensorflow.dropin.parts import polymorphic_function

_functions: weakref.WeakSet[Any] = weakref.WeakSet()


def count(function: Any) -> None:
    """From now on the hits of this function are told."""
    _functions.add(function)


def tell_all() -> None:
    for function in list(_functions):
        tell(function)


def tell(function: Any, wait: float = 1.0) -> None:
    """Add the hits since the last time to TensorFlow's count; `wait` for its lock, not for ever."""
    hits = function._decisions.hits
    new, function._told_hits = hits - function._told_hits, hits
    manager = polymorphic_function._frequent_tracing_detector_manager
    if new <= 0 or not manager._lock.acquire(timeout=wait):
        return
    try:
        detector = manager._get_detector(function._key_for_call_stats)
        detector._calls_per_tracings = detector._calls_per_tracings or [0]
        detector._calls_per_tracings[-1] += new
        detector._call_count += new
    except TypeError:  # a key that cannot be weakly referenced: TensorFlow does not count it either
        pass
    finally:
        manager._lock.release()
