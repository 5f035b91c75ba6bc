"""PyTorch's random numbers get a fixed start, compiled or not, and its operations a fixed order where they have one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.replay.seeds import SEED


class TorchSeeds:
    """`stop` puts back what was there before."""

    def __init__(self, torch: Any, *, deterministic: bool) -> None:
        self._torch = torch
        self._before = torch.get_rng_state()
        self._deterministic: tuple[bool, bool] | None = None
        self._inductor: Any = None
        self._set_up: dict[str, Any] = {}  # what it was set up with before
        torch.manual_seed(SEED)
        if deterministic:
            self._deterministic = (
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled(),
            )
            # What has no deterministic implementation runs all the same: whether it varies is seen by running it twice.
            torch.use_deterministic_algorithms(True, warn_only=True)
            warnings.filterwarnings("ignore", ".*does not have a deterministic implementation.*", UserWarning)

    def place(self) -> None:
        """Compiled code draws what the same code draws uncompiled. Called when the compiler has been loaded."""
        import torch._inductor.config as inductor

        self._inductor = inductor
        self._set("fallback_random", True)

    def compile_alone(self) -> None:
        """At the end of the interpreter no thread can be started any more: compile in this one."""
        if self._inductor is not None:
            self._set("compile_threads", 1)

    def _set(self, name: str, value: Any) -> None:
        self._set_up.setdefault(name, getattr(self._inductor, name))
        setattr(self._inductor, name, value)

    def save(self) -> Callable[[], None]:
        """Remember how far PyTorch has come; calling the result takes it back there."""
        state = self._torch.get_rng_state()
        return lambda: self._torch.set_rng_state(state)

    def stop(self) -> None:
        self._torch.set_rng_state(self._before)
        if self._deterministic is not None:
            enabled, warn_only = self._deterministic
            self._torch.use_deterministic_algorithms(enabled, warn_only=warn_only)
        for name, value in self._set_up.items():
            setattr(self._inductor, name, value)
