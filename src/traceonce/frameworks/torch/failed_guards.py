"""Which guard failed, asked once: PyTorch asks again when it compiles, and to ask takes as long as there are guards.

We need the answer before a compilation begins. PyTorch's own question, for its logs, then gets the answer that we had;
all that it does with it stays its own.
"""

from __future__ import annotations

import contextlib
import threading
import types
from collections.abc import Iterator
from typing import Any

from traceonce.frameworks.base.hooks import Hooks

HELPER = "get_guard_fail_reason_helper"


class AskedOnce:
    """The answers of one thread, from our question to the end of the compilation."""

    def __init__(self) -> None:
        self._threads = threading.local()

    def place(self, hooks: Hooks, guards: Any) -> None:
        if isinstance(getattr(guards, HELPER, None), types.FunctionType):
            hooks.place(guards, HELPER, self._hook)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """What is answered inside of this is remembered."""
        self._threads.answers, self._threads.asking = {}, True
        try:
            yield
        finally:
            self._threads.asking = False

    def forget(self) -> None:
        self._threads.answers = {}

    def _hook(self, original: Any) -> Any:
        def get_guard_fail_reason_helper(guard_manager: Any, *args: Any, **kwargs: Any) -> Any:
            answers: dict[int, Any] | None = getattr(self._threads, "answers", None)
            if answers is None:
                return original(guard_manager, *args, **kwargs)
            if getattr(self._threads, "asking", False):
                answer = answers[id(guard_manager)] = original(guard_manager, *args, **kwargs)
                return answer
            known = answers.pop(id(guard_manager), None)
            return known if known is not None else original(guard_manager, *args, **kwargs)

        return get_guard_fail_reason_helper
