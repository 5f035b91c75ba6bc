"""Is a trace under way, and how many were made? And which parts of TensorFlow draw random numbers their own way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.replay.here import Here, Problems


class Traces:
    """Watches the building of graphs. `on_graph` gets each one that was traced for a function.

    The hook is not the one on a cache miss, which reads the frames around it and must be the only one there.
    """

    def __init__(self, here: Here, problems: Problems, on_graph: Callable[[Any], None]) -> None:
        self._here = here
        self._problems = problems
        self._on_graph = on_graph

    def place(self, hooks: Hooks, func_graph: Any, own_random: list[tuple[Any, str]]) -> None:
        hooks.place(func_graph, "func_graph_from_py_func", self._hook)
        for owner, name in own_random:
            hooks.place(owner, name, self._hook_own_random)

    def _hook(self, original: Any) -> Any:
        here = self._here

        def func_graph_from_py_func(*args: Any, **kwargs: Any) -> Any:
            here.graphs += 1
            try:
                graph = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            finally:
                here.graphs -= 1
            # The branches and bodies of control flow are graphs as well, but no traces.
            if sys._getframe(1).f_code.co_name == "_create_concrete_function":
                here.traces += 1
                with here.on_our_behalf(), self._problems.kept():
                    self._on_graph(graph)
            return graph

        return func_graph_from_py_func

    def _hook_own_random(self, original: Any) -> Any:
        here = self._here

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            here.own_random += 1
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            finally:
                here.own_random -= 1

        return wrapper
