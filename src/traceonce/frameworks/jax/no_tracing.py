"""Programs that forbid tracing with `jax.no_tracing` run as they do unwatched.

JAX asks twice: when a call comes through Python at all, which it takes for a sign of a trace, and when it begins one.
The first calls of an executable come through Python because we count them. So while we watch, the first question is
answered with no, and the second one decides, with the same error.
"""

from __future__ import annotations

import sys
from typing import Any

ASKED_FIRST = "cache_miss"  # the function of `pjit` that asks too early


class CountedCalls:
    """Lies in the place of the setting, in the module that JAX reads it from; `jax.no_tracing` itself stays."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._setting = config.no_tracing
        self._stopped = False
        config.no_tracing = self

    @property
    def value(self) -> Any:
        forbidden = self._setting.value
        return forbidden and (self._stopped or sys._getframe(1).f_code.co_name != ASKED_FIRST)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._setting(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._setting, name)

    def stop(self) -> None:
        self._stopped = True
        if self._config.no_tracing is self:
            self._config.no_tracing = self._setting
