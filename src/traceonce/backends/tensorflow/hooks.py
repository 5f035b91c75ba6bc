"""Putting a wrapper in the place of a function of TensorFlow's, and taking it out again."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

from traceonce.backends.tensorflow.probes import disguise


class Hooks:
    """The wrappers in place, in the order in which they were put there. Threads may come and go at any time."""

    def __init__(self) -> None:
        self._placed: list[tuple[Any, str, Any, Any]] = []
        self._lock = threading.RLock()
        self._closed = False

    def place(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        """Replace ``owner.name`` by ``wrap(original)``, unless that is done already or these hooks are closed."""
        with self._lock:
            if self._closed or any(hook[0] is owner and hook[1] == name for hook in self._placed):
                return
            original = inspect.getattr_static(owner, name)
            wrapper = disguise(wrap(original), original)
            setattr(owner, name, wrapper)
            self._placed.append((owner, name, original, wrapper))

    def remove_all(self) -> None:
        with self._lock:
            while self._placed:
                _restore(*self._placed.pop())

    def close(self) -> None:
        """Take all wrappers out for good: a trace still under way in another thread must not put one back."""
        with self._lock:
            self._closed = True
            self.remove_all()


def leave_no_frame(error: BaseException) -> None:
    """Take the frame that handles `error` out of its traceback; a bare ``raise`` after this does not put it back.

    (Python 3.10 does. There the frame stays, disguised as TensorFlow's, which TensorFlow filters out by default.)
    """
    trace = error.__traceback__
    error.__traceback__ = trace.tb_next if trace is not None else None


def _restore(owner: Any, name: str, original: Any, wrapper: Any) -> None:
    """Put the original back, unless somebody has since put a wrapper of their own around ours."""
    if inspect.getattr_static(owner, name) is wrapper:
        setattr(owner, name, original)
