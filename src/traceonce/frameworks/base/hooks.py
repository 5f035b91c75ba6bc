"""Putting a wrapper in the place of a function of a framework, and taking it out again."""

from __future__ import annotations

import inspect
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


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


def caller() -> types.FrameType:
    """Who called the function that the calling wrapper stands in for; other wrappers of ours may stand in between."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("traceonce."):
        frame = frame.f_back
    return frame


def leave_no_frame(error: BaseException) -> None:
    """Take the frame that handles `error` out of its traceback; a bare ``raise`` after this does not put it back.

    (Python 3.10 does. There the frame stays, disguised as the framework's, which filters its own out by default.)
    """
    trace = error.__traceback__
    error.__traceback__ = trace.tb_next if trace is not None else None


def _restore(owner: Any, name: str, original: Any, wrapper: Any) -> None:
    """Put the original back, unless somebody has since put a wrapper of their own around ours."""
    if inspect.getattr_static(owner, name) is wrapper:
        setattr(owner, name, original)


def disguise(wrapper: F, original: Any) -> F:
    """Make a wrapper's frame look like the frame that it stands in for.

    Frameworks remove their own frames from the user's tracebacks by file name. A wrapper of ours would stay in them,
    so it takes the file and the name of what it wraps.
    """
    inner = inspect.unwrap(original)
    code = wrapper.__code__.replace(
        co_filename=inner.__code__.co_filename, co_name=inner.__name__, co_firstlineno=inner.__code__.co_firstlineno
    )
    twin = types.FunctionType(code, wrapper.__globals__, inner.__name__, wrapper.__defaults__, wrapper.__closure__)
    twin.__kwdefaults__ = wrapper.__kwdefaults__
    twin.__wrapped__ = original  # type: ignore[attr-defined]  # functools.wraps convention
    twin.__doc__ = inner.__doc__
    return twin  # type: ignore[return-value]  # same signature as the wrapper
