"""`module.compile()` of a module whose `forward` is PyTorch's own compiles nothing, and PyTorch does not say so.

PyTorch leaves frames of `torch.nn` alone. `torch.compile(module)` goes around that, by a wrapper; `module.compile()`
does not. Whether a frame is left alone is asked of PyTorch itself. Parts of a module that the user wrote are compiled.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from traceonce.facts import Notice
from traceonce.frameworks.base.hooks import Hooks


class SkippedModules:
    """Watches `torch.nn.Module.compile`."""

    def __init__(self, torch: Any, write: Callable[[Notice], None]) -> None:
        self._torch = torch
        self._write = write
        self._told: set[str] = set()

    def place(self, hooks: Hooks) -> None:
        if isinstance(getattr(self._torch.nn.Module, "compile", None), types.FunctionType):
            hooks.place(self._torch.nn.Module, "compile", self._hook)

    def _hook(self, original: Any) -> Any:
        def compile(module: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001  # its name is PyTorch's
            result = original(module, *args, **kwargs)
            with contextlib.suppress(Exception):  # PyTorch has moved what is asked: nothing certain can be said
                self._look(module)
            return result

        return compile

    def _look(self, module: Any) -> None:
        name = type(module).__name__
        if name in self._told or not all(self._is_left_alone(part) for part in module.modules()):
            return
        self._told.add(name)
        self._write(
            Notice(
                f"{name}.compile() compiles nothing: PyTorch skips modules that are entirely its own; "
                "torch.compile(module) compiles them"
            )
        )

    def _is_left_alone(self, module: Any) -> bool:
        from torch._dynamo import trace_rules  # there already: something is to be compiled

        forward = inspect.getattr_static(type(module), "forward", None)
        hooked = any(getattr(module, name, None) for name in ("_forward_hooks", "_forward_pre_hooks"))
        return isinstance(forward, types.FunctionType) and not hooked and bool(trace_rules.check(forward))
