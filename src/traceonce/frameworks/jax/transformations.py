"""Calls of a jitted function from inside `jax.grad` or `jax.vmap`, outside of any trace of another jitted function.

JAX serves such a call in Python, every time, and what it runs is not the trace itself but what the transformation made
of it. So these calls are counted where JAX takes up a call that its fast path did not serve.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.hooks import Hooks, leave_no_frame

TAKING_UP = {"_run_python_pjit": 2, "_python_pjit_helper": 0}  # by version; where it takes the function
DEEPEST = 32  # transformations around each other


class TransformedCalls:
    """Counts them, by the function object that was handed to `jax.jit`."""

    def __init__(
        self, pjit: Any, core: Any, count: Callable[[str], None], problem: Callable[[Exception], None]
    ) -> None:
        self._pjit = pjit
        self._core = core
        self._count = count
        self._problem = problem
        self._keys: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    def place(self, hooks: Hooks) -> None:
        for name, position in TAKING_UP.items():
            if hasattr(self._pjit, name):
                hooks.place(self._pjit, name, functools.partial(self._hook, position))

    def expect(self, function: Any, key: str) -> None:
        """A function object that was traced."""
        number, keys = id(function), self._keys
        keys[number] = weakref.ref(function, lambda _: keys.pop(number, None)), key

    def _hook(self, position: int, original: Any) -> Any:
        def taken_up(*args, **kwargs):  # type: ignore[no-untyped-def]
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if not self._stopped:
                self._look(args[position])
            return result

        return taken_up

    def _look(self, function: Any) -> None:
        try:
            known = self._keys.get(id(function))
            if known is not None and not self._core.trace_state_clean() and is_for_values(self._core):
                self._count(known[1])
        except Exception as error:
            self._problem(error)


def is_for_values(core: Any) -> bool:
    """Is the code that runs now run for its values, though under a transformation, and not to be traced?"""
    trace = core.trace_ctx.trace
    for _ in range(DEEPEST):
        if type(trace).__name__ == "DynamicJaxprTrace":
            return False
        around = getattr(trace, "parent_trace", None)
        if around is None:
            return isinstance(trace, core.EvalTrace)
        trace = around
    return False
