"""The calls of a `tf.function`, from begin to end."""

from __future__ import annotations

import sys
from typing import Any

from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.replay.calls import ReplayedCalls
from traceonce.frameworks.base.replay.here import Here


class CallHook:
    """Watches `Function.__call__`."""

    def __init__(self, here: Here, calls: ReplayedCalls) -> None:
        self._here = here
        self._calls = calls

    def place(self, hooks: Hooks, function_class: Any) -> None:
        hooks.place(function_class, "__call__", self._hook)

    def _hook(self, original: Any) -> Any:
        here, calls = self._here, self._calls

        def __call__(owner: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  # it stands in for one
            call = calls.begin(owner, args, kwargs, sys._getframe(1))
            here.calls += 1
            try:
                result = original(owner, *args, **kwargs)
            except BaseException as error:
                here.calls -= 1
                calls.end(call, None, error)
                leave_no_frame(error)
                raise
            here.calls -= 1
            calls.end(call, result, None)
            return result

        return __call__
