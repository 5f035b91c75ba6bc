"""`traceonce.limit` and `traceonce.max_traces`: the limits that a program sets for itself.

The innermost limit of a function is the one that holds for it:

1. A function with a limit of its own (`max_traces`) is under that one alone.
2. Any other is under the `limit` that was set last. The one before is in force again, with its own counts, when a block
   ends; what was traced in the block is not on its account.
"""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, TypeVar

from typing_extensions import Self

from traceonce.facts import DEFAULT_LIMIT, FunctionId, Limit
from traceonce.facts.limit import MODES
from traceonce.frameworks.base.after_fork import after_fork
from traceonce.frameworks.base.registry import known_frameworks
from traceonce.limits.active_limit import ActiveLimit, OnLimit
from traceonce.observe.hub import Hub, hub

F = TypeVar("F", bound=Callable[..., Any])
NO_DECORATOR = (
    "limit is not a decorator; use @traceonce.max_traces(1) for one function, `with traceonce.limit(10):` for "
    "everything called in a block"
)


class _Own(NamedTuple):
    """The limit of one function: which one it is, and, where there was one to be had, its code."""

    guard: ActiveLimit
    is_it: Callable[[FunctionId], bool]
    code: types.CodeType | None


class Limits:
    """All limits of a process, and which of them holds for a function."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.lock = threading.RLock()
        after_fork(self.renew_lock)
        self._general: list[Limiting] = []
        self._specific: dict[object, _Own] = {}

    def push(self, limiting: Limiting) -> None:
        with self.lock:
            self._general.append(limiting)

    def remove(self, limiting: Limiting) -> None:
        with self.lock:
            self._general = [other for other in self._general if other is not limiting]
            if self._general:
                self._hub.renew()

    def general_guard(self, limiting: Limiting, limit: Limit, on_limit: OnLimit) -> ActiveLimit:
        def covers(function: FunctionId) -> bool:
            general = self._general
            return bool(general) and general[-1] is limiting and not self._has_its_own(function)

        return ActiveLimit(limit, on_limit, covers, self._hub)

    def set_for(
        self,
        key: object,
        is_it: Callable[[FunctionId], bool],
        limit: Limit,
        on_limit: OnLimit,
        code: types.CodeType | None = None,
    ) -> None:
        """Give one function a limit of its own.

        The same one given again keeps its counts (a function made in a loop), unless the code is new: a cell of a
        notebook was run again, or a module loaded again.
        """
        with self.lock:
            existing = self._specific.get(key)
            if existing is not None and existing.code is code and existing.guard.is_like(limit, on_limit):
                return
            own = self._specific[key] = _Own(ActiveLimit(limit, on_limit, is_it, self._hub), is_it, code)
            own.guard.start()
            if existing is not None:
                existing.guard.stop()

    def clear(self) -> None:
        """Take every limit out of force."""
        with self.lock:
            general, specific = self._general, list(self._specific.values())
            self._general, self._specific = [], {}
        for limiting in general:
            limiting.remove()
        for own in specific:
            own.guard.stop()

    def _has_its_own(self, function: FunctionId) -> bool:
        return any(own.is_it(function) for own in list(self._specific.values()))

    def renew_lock(self) -> None:
        """In a forked process, where nobody would give it back."""
        self.lock = threading.RLock()


limits = Limits(hub)


class Limiting:
    """A limit in force, until it is removed or, in a ``with`` statement, its block ends."""

    def __init__(self, limit: Limit | None, on_limit: OnLimit, limits: Limits = limits) -> None:
        self._limits = limits
        self._described = limit.describe() if limit is not None else "no limit"
        self._removed = False
        self._entered = 0
        self._guard = limits.general_guard(self, limit, on_limit) if limit is not None else None
        limits.push(self)
        if self._guard is not None:
            self._guard.start()

    def remove(self) -> None:
        """Take this limit out of force; once is enough."""
        self._removed = True
        self._limits.remove(self)
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.stop()

    def __enter__(self) -> Self:
        with self._limits.lock:
            if self._removed:
                raise RuntimeError("this limit is no longer in force; create a new one: with traceonce.limit(…)")
            self._entered += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It ends with the outermost of its blocks."""
        with self._limits.lock:
            self._entered -= 1
            ends = self._entered == 0
        if ends:
            self.remove()

    def __call__(self, function: object) -> NoReturn:
        self.remove()
        raise TypeError(NO_DECORATOR)

    def __repr__(self) -> str:
        return f"<traceonce.limit: {self._described}, {'removed' if self._removed else 'in force'}>"


def limit(most: int | None = DEFAULT_LIMIT, *, warmup: int = 0, on_limit: OnLimit = "raise") -> Limiting:
    """Allow every function of this process `most` retraces from now on; a call that would exceed the limit raises.

    >>> traceonce.limit(1000)            # for the rest of the program
    >>> with traceonce.limit(10):        # for a block
    ...     train()

    Raises `traceonce.TracingLimitReached`; where the framework has an error for exhausted resources, the raised error
    is one of those too. Earlier traces still serve their calls. ``on_limit="warn"`` issues a `TracingLimitWarning`
    instead, once per function and cause; a function is called with the `Breach` for each trace beyond the limit. Traces
    in the first `warmup` calls of a function do not count. ``None`` means no limit.

    The limit applies to every thread until its block ends or `remove()` is called on the result. Of several, the last
    one applies; when it ends, the previous one applies again, with its own counts. For one function: `max_traces`.
    """
    if callable(most):
        raise TypeError(NO_DECORATOR)
    warmup, mode = whole_number(warmup, "warmup"), _mode(on_limit)
    return Limiting(None if most is None else Limit(whole_number(most, "limit"), warmup=warmup), mode)


def max_traces(most: int, *, warmup: int = 0, on_limit: OnLimit = "raise") -> Callable[[F], F]:
    """Allow the decorated function `most` traces, including the first; a call that would exceed the limit raises.

    >>> @traceonce.max_traces(1)
    ... @compiled  # by whatever traces it
    ... def train_step(batch): ...

    Returns the function unchanged: a call costs nothing. Function objects over the same code (a lambda in a loop) count
    together, but objects with their own graph are not retraces; a method counts per object. With ``warmup=k`` traces in
    the first k calls are free: ``max_traces(0, warmup=10)`` allows no trace after the tenth call. `on_limit` is as for
    `traceonce.limit`.
    """
    if callable(most):
        raise TypeError("max_traces needs a number: @traceonce.max_traces(1)")
    given = Limit(whole_number(most, "max_traces"), "traces", whole_number(warmup, "warmup"))
    mode = _mode(on_limit)

    def decorate(function: F) -> F:
        code = code_of(function)
        if code is None:
            raise TypeError(f"max_traces needs a Python function, not {function!r}")
        place = (python_function(function).__qualname__, code.co_filename, code.co_firstlineno)
        limits.set_for(place, functools.partial(_is_at, *place), given, mode, code)
        return function

    return decorate


def _is_at(name: str, file: str, line: int, function: FunctionId) -> bool:
    """Is it the function written there? A `FunctionId` names a file below the working folder without that folder.

    A backend that sees outcomes alone knows neither the file nor the line, only the last part of the name.
    """
    if function.line is None:
        return function.name == name.rpartition(".")[2]
    there = function.line == line and function.file is not None and f"/{file}".endswith(f"/{function.file}")
    return there and function.name.partition(" [")[0] == name


def code_of(function: Any) -> types.CodeType | None:
    code = getattr(python_function(function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


@functools.cache
def _inside() -> tuple[str, ...]:
    """Where what a framework makes keeps what it was made of."""
    return tuple(name for each in known_frameworks() for name in each.inside)


def python_function(function: Any) -> Any:
    """The Python function inside whatever was decorated: a compiled one, a method, a partial, a callable object."""
    for _ in range(32):
        made_of = next((name for name in _inside() if hasattr(function, name)), None)
        if made_of is not None:
            function = getattr(function, made_of)
        elif not isinstance(function, type) and callable(getattr(function, "forward", None)):  # a module itself
            function = function.forward
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif callable(function) and not hasattr(function, "__code__") and not isinstance(function, type):
            function = type(function).__call__
        else:
            break
    return function


def whole_number(number: int, name: str, least: int = 0) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{name} must be a whole number, not {number!r}")
    if number < least:
        raise ValueError(f"{name} must be {least} or more, not {number}")
    return number


def _mode(on_limit: OnLimit) -> OnLimit:
    if not callable(on_limit) and on_limit not in MODES:
        raise ValueError(f"on_limit must be 'raise', 'warn' or a function that takes a Breach, not {on_limit!r}")
    return on_limit
