"""Where `torch.compile` is applied by the user's code; and every call of what it returns goes by us.

A function comes back as another one, around which ours is put. What dynamo knows the former by is copied to ours: so a
compiled function that is called inside another is inlined there, as without us. A module comes back as an
`OptimizedModule`, and ``module.compile()`` wraps a method of the module.
"""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.base.hooks import Hooks, leave_no_frame
from traceonce.frameworks.base.replay.calls import ReplayedCalls
from traceonce.frameworks.base.replay.here import Here, Problems
from traceonce.frameworks.base.replay.makings import Makings
from traceonce.frameworks.torch.replay.subjects import CompiledCallable, Subjects


class Wrappings:
    """Watches `torch.compile`. `loaded` is called when that has loaded the compiler."""

    def __init__(
        self,
        torch: Any,
        here: Here,
        problems: Problems,
        subjects: Subjects,
        makings: Makings,
        calls: ReplayedCalls,
        loaded: Callable[[], None],
    ) -> None:
        self._torch = torch
        self._here = here
        self._problems = problems
        self._subjects = subjects
        self._makings = makings
        self._calls = calls
        self._loaded = loaded
        self._modules: weakref.WeakKeyDictionary[Any, CompiledCallable] = weakref.WeakKeyDictionary()
        # The first and the last of each function, kept in every run alike: what lives at the end is compared.
        self._held: dict[tuple[str, bool], tuple[CompiledCallable, Any]] = {}

    def place(self, hooks: Hooks) -> None:
        hooks.place(self._torch, "compile", self._hook)

    def place_on_modules(self, hooks: Hooks, optimized_module: Any) -> None:
        hooks.place(optimized_module, "__call__", self._hook_module)

    def _hook(self, original: Any) -> Any:
        def compile(model: Any = None, **options: Any) -> Any:  # noqa: A001  # it stands in for one
            try:
                compiled = original(model, **options)
            except BaseException as error:
                leave_no_frame(error)
                raise
            if model is None or compiled is model:
                return compiled  # a decorator, which comes here again with its function; or it is not compiled
            with self._here.on_our_behalf(), self._problems.kept():
                self._loaded()
                return self._watched(model, compiled, sys._getframe(1))
            return compiled

        return compile

    def _watched(self, model: Any, compiled: Any, caller: types.FrameType) -> Any:
        run = compiled if not isinstance(compiled, self._torch.nn.Module) else _calling(compiled)
        subject = self._subjects.of(model, run)
        if subject is None:
            return compiled
        self._makings.note(subject.function, caller)
        self._held.setdefault((subject.function.key, True), (subject, compiled))
        self._held[subject.function.key, False] = subject, compiled
        if isinstance(compiled, types.FunctionType):
            return self._recorded(subject, compiled)
        if isinstance(compiled, self._torch.nn.Module):
            self._modules[compiled] = subject
        return compiled

    def _recorded(self, subject: CompiledCallable, compiled: Any) -> Any:
        make = self._calls.make

        @functools.wraps(compiled)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            return make(subject, compiled, args, kwargs, sys._getframe(1))

        recorded._torchdynamo_wrapper_id = id(recorded)  # type: ignore[attr-defined]  # so dynamo looks through it
        return recorded

    def _hook_module(self, original: Any) -> Any:
        make, known = self._calls.make, self._modules

        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  # it stands in for one
            subject = known.get(module)
            run = original.__get__(module)
            return run(*args, **kwargs) if subject is None else make(subject, run, args, kwargs, sys._getframe(1))

        return __call__


def _calling(module: Any) -> Any:
    """Calls the module, which is held weakly where it is known by itself: a dictionary must not keep its own key."""
    reference = weakref.ref(module)

    def call(*args: Any, **kwargs: Any) -> Any:
        living = reference()
        if living is None:
            raise ReferenceError("the module is gone")
        return living(*args, **kwargs)

    return call
