"""The error that a program gets instead of a trace: ours, and a `tf.errors.ResourceExhaustedError`."""

from __future__ import annotations

import functools
import sys
from typing import Any

from traceonce.errors import TracingLimitReached
from traceonce.facts import Breach


def limit_reached(message: str, breach: Breach) -> TracingLimitReached:
    """Make the error. Where TensorFlow cannot be imported (a pickle was carried there) it is ours alone."""
    try:
        error: TracingLimitReached = _error_class()(message, breach)
    except Exception:  # not installed, or broken: that raises all sorts of errors
        return TracingLimitReached(message, breach)
    return error


@functools.cache
def _error_class() -> Any:
    from tensorflow.errors import ResourceExhaustedError

    class ReachedError(TracingLimitReached, ResourceExhaustedError):  # type: ignore[misc]  # TensorFlow is untyped
        # AutoGraph and Keras raise errors that pass through them anew, with a text of their own around the message.
        # AutoGraph leaves one alone that bears this mark. What Keras makes of one is the same again: see below.
        ag_pass_through = True

        def __init__(self, message: Any, breach: Any = None, *others: Any) -> None:
            if not isinstance(breach, Breach):  # Keras makes one like the error that it handles
                handled = sys.exc_info()[1]
                if not isinstance(handled, TracingLimitReached):
                    raise TypeError("TracingLimitReached takes a message and a Breach")
                message, breach = handled.args
            ResourceExhaustedError.__init__(self, None, None, message)
            self.args = (message, breach)
            self.breach = breach

        def __reduce__(self) -> tuple[Any, ...]:
            notes = getattr(self, "__notes__", None)
            return limit_reached, self.args, {"__notes__": notes} if notes else None

    ReachedError.__name__ = ReachedError.__qualname__ = TracingLimitReached.__name__
    ReachedError.__module__ = TracingLimitReached.__module__
    return ReachedError
