"""The error that a program gets instead of a trace: ours, and a `tf.errors.ResourceExhaustedError`."""

from __future__ import annotations

import functools
from typing import Any

from traceonce.errors import TracingLimitReached
from traceonce.facts import Breach


def limit_reached(message: str, breach: Breach) -> TracingLimitReached:
    """Make the error. Where TensorFlow is not installed (a pickle was carried there) it is ours alone."""
    try:
        error: TracingLimitReached = _error_class()(message, breach)
    except ImportError:
        return TracingLimitReached(message, breach)
    return error


@functools.cache
def _error_class() -> Any:
    from tensorflow.errors import ResourceExhaustedError

    class ReachedError(TracingLimitReached, ResourceExhaustedError):  # type: ignore[misc]  # TensorFlow is untyped
        # AutoGraph and Keras raise errors that pass through them anew, with a text of their own around the message and
        # a class of their own choice; both leave errors alone that bear these marks.
        ag_pass_through = True
        _keras_call_info_injected = True

        def __init__(self, message: str, breach: Breach) -> None:
            ResourceExhaustedError.__init__(self, None, None, message)
            self.args = (message, breach)
            self.breach = breach

        def __reduce__(self) -> tuple[Any, ...]:
            return limit_reached, self.args

    ReachedError.__name__ = ReachedError.__qualname__ = TracingLimitReached.__name__
    ReachedError.__module__ = TracingLimitReached.__module__
    return ReachedError
