"""The calls that the program makes of the user's functions: what each returned or raised, how long it took."""

from __future__ import annotations

import inspect
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from traceonce.facts import FunctionId
from traceonce.facts.replay import Returned
from traceonce.frameworks.base.hooks import leave_no_frame
from traceonce.frameworks.base.replay.beyond_the_run import KeptCalls
from traceonce.frameworks.base.replay.call_results import describe_outcome
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.sites import Sites
from traceonce.frameworks.base.replay.values import Values


class OpenCall:
    """One outermost call under way."""

    def __init__(self, function: FunctionId, here: Here) -> None:
        self.function = function
        self.traces = here.traces
        self.aside = here.aside
        self.began = time.perf_counter()


class ReplayedCalls:
    """A framework's own part has each call made here, or says when it begins and ends, and counts it (`Here.calls`).

    `users` names the function of a wrapped one, None where it is none of the user's. `bind` sorts its arguments.
    `is_plain` tells whether nothing is being traced around it. `enough` is called after the last call that is wanted,
    and does not return.
    """

    def __init__(
        self,
        here: Here,
        problems: Problems,
        values: Values,
        sites: Sites,
        kept: KeptCalls,
        *,
        users: Callable[[Any], FunctionId | None],
        bind: Callable[[Any, Any, Any], inspect.BoundArguments | None],
        is_plain: Callable[[], bool],
        most: int | None,
        enough: Callable[[], None],
    ) -> None:
        self._here = here
        self._problems = problems
        self._values = values
        self._sites = sites
        self._kept = kept
        self._users = users
        self._bind = bind
        self._is_plain = is_plain
        self._most = most
        self._enough = enough
        self._returned: list[Returned] = []
        self._ended = 0

    def all(self) -> tuple[Returned, ...]:
        return tuple(self._returned)

    def make(self, owner: Any, run: Callable[..., Any], args: Any, kwargs: Any, caller: types.FrameType | None) -> Any:
        """Make a call, and keep what comes of it; `caller` is the frame that it comes from."""
        call = self.begin(owner, args, kwargs, caller)
        self._here.calls += 1
        try:
            result = run(*args, **kwargs)
        except BaseException as error:
            self._here.calls -= 1
            self.end(call, None, error)
            leave_no_frame(error)
            raise
        self._here.calls -= 1
        self.end(call, result, None)
        return result

    def begin(self, owner: Any, args: Any, kwargs: Any, caller: types.FrameType | None) -> OpenCall | None:
        if self._here.probing:
            return None
        call = None
        with self._here.on_our_behalf(), self._problems.kept():
            function = self._users(owner)
            if function is None:
                return None
            bound = self._bind(owner, args, kwargs)
            self._sites.note(function, bound, caller)
            if self._here.calls == 0 and self._is_plain() and not _is_called_back():
                self._kept.keep(function, owner, bound)
                call = OpenCall(function, self._here)
        if call is not None:
            call.aside = self._here.aside
            call.began = time.perf_counter()
        return call

    def end(self, call: OpenCall | None, result: Any, error: BaseException | None) -> None:
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
    """Is this a thread of the framework's (calls back from a graph, generators of input)? Its calls have no order."""
    return isinstance(threading.current_thread(), threading._DummyThread)
