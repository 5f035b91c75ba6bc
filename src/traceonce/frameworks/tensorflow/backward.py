"""The backward graph that the first call under a tape builds: time, but no trace."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.facts import FunctionId
from traceonce.frameworks.base.hooks import leave_no_frame

Report = Callable[[FunctionId, float, float], None]


class BackwardGraphs:
    """Knows which function a graph belongs to, and reports when a backward graph is built for it."""

    def __init__(self, report: Report, problem: Callable[[Exception], None]) -> None:
        self._report = report
        self._problem = problem
        self._functions: weakref.WeakKeyDictionary[Any, FunctionId] = weakref.WeakKeyDictionary()

    def expect(self, graph: Any, function: FunctionId) -> None:
        self._functions[graph] = function

    def hook(self, original: Any) -> Any:
        def build(gradient_functions, *args, **kwargs):  # type: ignore[no-untyped-def]
            start, began = time.time(), time.perf_counter()
            try:
                result = original(gradient_functions, *args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            self._built(gradient_functions, start, time.perf_counter() - began)
            return result

        return build

    def _built(self, gradient_functions: Any, start: float, seconds: float) -> None:
        try:
            function = self._functions.get(getattr(gradient_functions, "_func_graph", None))
            if function is not None:
                self._report(function, start, seconds)
        except Exception as error:
            self._problem(error)
