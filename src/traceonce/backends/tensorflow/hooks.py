"""Putting a wrapper in the place of a function of TensorFlow's, and taking it out again."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from traceonce.backends.tensorflow.probes import disguise


class Hooks:
    """The wrappers in place, in the order in which they were put there."""

    def __init__(self) -> None:
        self._placed: list[tuple[Any, str, Any, Any]] = []

    def place(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        """Replace ``owner.name`` by ``wrap(original)``, which must not show in the user's tracebacks."""
        original = inspect.getattr_static(owner, name)
        wrapper = disguise(wrap(original), original)
        setattr(owner, name, wrapper)
        self._placed.append((owner, name, original, wrapper))

    def __bool__(self) -> bool:
        return bool(self._placed)

    def remove_all(self) -> None:
        while self._placed:
            _restore(*self._placed.pop())


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
