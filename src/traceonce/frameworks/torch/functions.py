"""Which function is it? From the frame that is compiled back to what its author wrote."""

from __future__ import annotations

import functools
import inspect
import os
import re
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

from traceonce.facts import CallSite, Frame, FunctionId
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.torch.probes import RESUME, Probes, original_code

_MACHINERY = ("_dynamo", "_functorch", "_inductor", "_higher_order_ops", "fx")


class Described(NamedTuple):
    """A function, and the frame of it: `code` is the author's, `values` are the arguments by the author's names.

    `part`: the frame is the rest of the function after a graph break. `internal`: no caller chose this function.
    `renamed` are the names of PyTorch's own wrapper, as patterns, and what the author calls the same.
    """

    id: FunctionId
    code: types.CodeType
    values: Mapping[str, Any]
    part: bool = False
    internal: bool = False
    renamed: tuple[tuple[str, str], ...] = ()


def describe_function(probes: Probes, places: Places, code: types.CodeType, values: Mapping[str, Any]) -> Described:
    wrapped = _inside_wrapper(code, values)
    if wrapped is not None:
        wrapped = wrapped._replace(function=past_own_wrappers(wrapped.function, places))
        plain, renamed = _author_names(wrapped, values)
        inner = wrapped.function.__code__
        described = _identify(inner, wrapped.name, places)
        machinery = places.is_in_framework(inner.co_filename, *_MACHINERY)
        return Described(described, inner, plain, internal=machinery, renamed=renamed)
    original = original_code(probes, code)
    inner = original or code
    described = _identify(inner, _qualified_name(inner, values), places)
    part = original is not None or code.co_name.startswith(RESUME)
    return Described(described, inner, values, part, places.is_in_framework(inner.co_filename, *_MACHINERY))


def past_own_wrappers(function: Any, places: Places) -> Any:
    """The first function that is none of PyTorch's own wrappers, such as that of `torch.no_grad()`."""
    inner = function
    for _ in range(32):
        code = getattr(inner, "__code__", None)
        if code is not None and not places.is_framework(code.co_filename):
            return inner
        if not hasattr(inner, "__wrapped__"):
            return function
        inner = inner.__wrapped__
    return function


def _identify(code: types.CodeType, name: str, places: Places) -> FunctionId:
    file = code.co_filename
    return FunctionId(name, places.shorten(file), code.co_firstlineno, library=not places.is_user(file))


def _qualified_name(code: types.CodeType, values: Mapping[str, Any]) -> str:
    name = getattr(code, "co_qualname", None)  # from Python 3.11 on
    if name is not None:
        return str(name)
    owner = type(values.get(code.co_varnames[0])) if code.co_varnames else None
    method = inspect.getattr_static(owner, code.co_name, None) if owner is not None else None
    return (
        f"{owner.__qualname__}.{code.co_name}" if getattr(method, "__code__", None) is code and owner else code.co_name
    )


class _Wrapped(NamedTuple):
    """What PyTorch compiles through a wrapper of its own: a module of PyTorch's, or a `functools.partial`.

    `function` is called with `first`, then with `given`, which are a partial's, then with the arguments of the call.
    """

    function: types.FunctionType
    name: str
    first: tuple[tuple[str, Any], ...]  # by the wrapper's name for it
    given: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}


def _inside_wrapper(code: types.CodeType, values: Mapping[str, Any]) -> _Wrapped | None:
    """All that is called without a frame of its own is compiled through one wrapper: what is it here?"""
    if code.co_name != "inner" or not code.co_filename.endswith(os.path.join("_dynamo", "external_utils.py")):
        return None
    target = values.get("fn")
    if type(target) is not functools.partial:
        return _method_of(target, "fn")
    inner = _method_of(target.func, "fn.func")
    return inner._replace(given=target.args, named=target.keywords) if inner is not None else None


def _method_of(target: Any, called: str) -> _Wrapped | None:
    if isinstance(target, types.FunctionType):
        return _Wrapped(target, target.__qualname__, ())
    if isinstance(target, types.MethodType) and isinstance(target.__func__, types.FunctionType):
        return _Wrapped(target.__func__, target.__func__.__qualname__, ((f"{called}.__self__", target.__self__),))
    for name in ("forward", "__call__"):
        method = inspect.getattr_static(type(target), name, None)
        if isinstance(method, types.FunctionType):
            return _Wrapped(method, f"{type(target).__qualname__}.{name}", ((called, target),))
    return None


def _author_names(wrapped: _Wrapped, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """The arguments by the names of the function, and how the wrapper's names for them read there."""
    args, kwargs = tuple(values.get("args", ())), dict(values.get("kwargs", {}))
    given = tuple(value for _, value in wrapped.first) + wrapped.given + args
    theirs = [rf"\b{re.escape(path)}\b" for path, _ in wrapped.first]
    theirs += [rf"\bfn\.args\[{at}\]" for at in range(len(wrapped.given))]
    theirs += [rf"(?<!\.)\bargs\[{at}\]" for at in range(len(args))]
    names = wrapped.function.__code__.co_varnames[: wrapped.function.__code__.co_argcount]
    renamed = list(zip(theirs, names, strict=False))
    renamed += [(rf"\bfn\.keywords\[{re.escape(repr(key))}\]", str(key)) for key in wrapped.named]
    renamed += [(rf"(?<!\.)\bkwargs\[{re.escape(repr(key))}\]", str(key)) for key in kwargs]
    try:
        bound = inspect.signature(wrapped.function).bind(*given, **{**wrapped.named, **kwargs})
    except (TypeError, ValueError):  # it will be told when it is called
        return dict(values), ()
    return dict(bound.arguments), tuple(renamed)


class Sites:
    """The stack behind a compilation: whose line called the function?"""

    def __init__(self, places: Places) -> None:
        self._places = places

    def read(
        self, frame: types.FrameType | None, compiled: types.CodeType, described: Described
    ) -> tuple[CallSite | None, tuple[Frame, ...]]:
        """The call site and the stack above the function itself, read from `frame`, which is the framework's."""
        stack: list[types.FrameType] = []
        while frame is not None:
            if not self._places.is_framework(frame.f_code.co_filename):
                stack.append(frame)
            frame = frame.f_back
        while stack and (stack[0].f_code is compiled or (described.part and _is_of(stack[0].f_code, described.code))):
            whole = stack[0].f_code is compiled and not described.part
            del stack[0]
            if whole:
                break
        frames = [Frame(each.f_code.co_filename, each.f_lineno, each.f_code.co_name) for each in reversed(stack)]
        return self._places.call_site(frames), self._places.visible(frames)


def _is_of(code: types.CodeType, original: types.CodeType) -> bool:
    """Is this code that PyTorch made of the function, the first part or a later one?"""
    if code.co_filename != original.co_filename:
        return False
    same = code.co_name == original.co_name and code.co_firstlineno == original.co_firstlineno
    return same or code.co_name.startswith(f"{RESUME}{original.co_name}_at_")
