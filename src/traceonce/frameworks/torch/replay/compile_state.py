"""Is a compilation under way, and how many were made? What a backend prints meanwhile is no output of the program."""

from __future__ import annotations

from typing import Any

from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.replay.here import Here


class CompileState:
    """Watches `_compile`, through which every frame goes that dynamo looks at."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def place(self, hooks: Hooks, convert_frame: Any) -> None:
        hooks.place(convert_frame, "_compile", self._hook)

    def _hook(self, original: Any) -> Any:
        here = self._here

        def _compile(*args: Any, **kwargs: Any) -> Any:
            here.graphs += 1
            try:
                compiled = original(*args, **kwargs)
            except BaseException as error:
                leave_no_frame(error)
                raise
            finally:
                here.graphs -= 1
            here.traces += 1
            return compiled

        return _compile
