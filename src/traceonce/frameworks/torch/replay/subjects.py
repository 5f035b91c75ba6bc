"""What was given to `torch.compile`: the function of the user's that it runs, and how its arguments are called."""

from __future__ import annotations

import inspect
import types
from typing import Any

from traceonce.facts import FunctionId
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.base.replay.argument_leaves import bind, signature_of
from traceonce.frameworks.torch.functions import past_own_wrappers

_RUNS_FORWARD = ("_call_impl", "_wrapped_call_impl", "__call__")


class CompiledCallable:
    """A compiled function, or a compiled module, which runs its ``forward``."""

    def __init__(self, function: FunctionId, signature: inspect.Signature | None, compiled: Any) -> None:
        """`signature` is that of a call; None where Python cannot tell it."""
        self.function = function
        self._signature = signature
        self._compiled = compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled(*args, **kwargs)

    def bind(self, args: Any, kwargs: Any) -> inspect.BoundArguments | None:
        return bind(self._signature, args, kwargs)


class Subjects:
    """Makes them, named as in a recording."""

    def __init__(self, torch: Any, places: Places) -> None:
        self._torch = torch
        self._places = places

    def of(self, model: Any, compiled: Any) -> CompiledCallable | None:
        """None for what has no Python code."""
        run = self._run_by(model)
        code = getattr(past_own_wrappers(getattr(run, "__func__", run), self._places), "__code__", None)
        if code is None:
            return None
        return CompiledCallable(self._name(code, getattr(run, "__self__", None)), signature_of(run), compiled)

    def _name(self, code: types.CodeType, owner: Any) -> FunctionId:
        file = code.co_filename
        name = str(getattr(code, "co_qualname", code.co_name))  # 3.10 knows the short name only
        in_torch = isinstance(owner, self._torch.nn.Module) and self._places.is_framework(file)
        if owner is not None and (in_torch or not hasattr(code, "co_qualname")):
            name = f"{type(owner).__qualname__}.{code.co_name}"  # the code is one for all modules of a kind
        return FunctionId(name, self._places.shorten(file), code.co_firstlineno, library=not self._places.is_user(file))

    def _run_by(self, model: Any) -> Any:
        """The function or method that runs, in the end, when it is called."""
        module = self._torch.nn.Module
        owner = getattr(model, "__self__", None)
        if isinstance(owner, module) and model.__name__ in _RUNS_FORWARD:
            model = owner
        if isinstance(model, module):
            return model.forward
        if isinstance(model, (types.FunctionType, types.MethodType)):
            return model
        return getattr(model, "__call__", model)  # noqa: B004  # the bound method itself is wanted
