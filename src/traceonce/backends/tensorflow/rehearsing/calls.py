"""The calls that the program makes of the user's functions: what each returned or raised, how long it took."""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from traceonce.backends.hooks import Hooks, leave_no_frame
from traceonce.backends.tensorflow.rehearsing.here import Here, Problems
from traceonce.backends.tensorflow.rehearsing.identifying import Identifier
from traceonce.backends.tensorflow.rehearsing.outcomes import describe_outcome
from traceonce.backends.tensorflow.rehearsing.probing import Kept
from traceonce.backends.tensorflow.rehearsing.sites import Sites
from traceonce.backends.tensorflow.rehearsing.values import Values
from traceonce.facts import FunctionId
from traceonce.facts.rehearsal import Returned


class Call:
    """One outermost call under way."""

    def __init__(self, function: FunctionId, here: Here) -> None:
        self.function = function
        self.traces = here.traces
        self.aside = here.aside
        self.began = time.perf_counter()


class Calls:
    """Watches `Function.__call__`. `enough` is called after the last call that is wanted, and does not return."""

    def __init__(
        self,
        here: Here,
        problems: Problems,
        identifier: Identifier,
        values: Values,
        sites: Sites,
        kept: Kept,
        executing_eagerly: Callable[[], bool],
        most: int | None,
        enough: Callable[[], None],
    ) -> None:
        self._here = here
        self._problems = problems
        self._identifier = identifier
        self._values = values
        self._sites = sites
        self._kept = kept
        self._eager = executing_eagerly
        self._most = most
        self._enough = enough
        self._returned: list[Returned] = []
        self._ended = 0

    def place(self, hooks: Hooks, function_class: Any) -> None:
        hooks.place(function_class, "__call__", self._hook)

    def all(self) -> tuple[Returned, ...]:
        return tuple(self._returned)

    def _hook(self, original: Any) -> Any:
        here = self._here

        def __call__(owner: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  # it stands in for one
            call = self._begin(owner, args, kwargs, sys._getframe(1))
            here.calls += 1
            try:
                result = original(owner, *args, **kwargs)
            except BaseException as error:
                here.calls -= 1
                self._end(call, None, error)
                leave_no_frame(error)
                raise
            here.calls -= 1
            self._end(call, result, None)
            return result

        return __call__

    def _begin(self, owner: Any, args: Any, kwargs: Any, caller: types.FrameType) -> Call | None:
        if self._here.probing:
            return None
        call = None
        with self._here.on_our_behalf(), self._problems.kept():
            function = self._identifier.users(owner)
            if function is None:
                return None
            self._sites.note(function, owner, args, kwargs, caller)
            if self._here.calls == 0 and self._eager() and not _is_called_back():
                self._kept.keep(function, owner, args, kwargs)
                call = Call(function, self._here)
        if call is not None:
            call.aside = self._here.aside
            call.began = time.perf_counter()
        return call

    def _end(self, call: Call | None, result: Any, error: BaseException | None) -> None:
        if call is None:
            return
        seconds = time.perf_counter() - call.began - (self._here.aside - call.aside)
        with self._here.on_our_behalf(), self._problems.kept():
            traces = self._here.traces - call.traces
            self._returned.append(describe_outcome(call.function, self._values, result, error, seconds, traces))
        self._ended += 1
        if self._most is not None and self._ended >= self._most:
            self._enough()


def _is_called_back() -> bool:
    """Is this a thread of TensorFlow's (`tf.py_function`, a generator of `tf.data`)? Its calls come in any order."""
    return isinstance(threading.current_thread(), threading._DummyThread)
