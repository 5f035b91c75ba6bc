"""Which function is it? From the frame that is compiled back to what its author wrote."""

from __future__ import annotations

import inspect
import os
import re
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

from traceonce.backends.places import Places
from traceonce.backends.torch.probes import RESUME, Probes, original_code
from traceonce.facts import CallSite, Frame, FunctionId

_MACHINERY = tuple(f"/torch/{room}/" for room in ("_dynamo", "_functorch", "_inductor", "_higher_order_ops", "fx"))


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
        target, forward = wrapped
        plain, renamed = _author_names(forward, values, target)
        name = f"{type(target).__qualname__}.{forward.__name__}"
        return Described(_identify(forward.__code__, name, places), forward.__code__, plain, renamed=renamed)
    original = original_code(probes, code)
    inner = original or code
    described = _identify(inner, _qualified_name(inner, values), places)
    file = inner.co_filename.replace(os.sep, "/")
    internal = described.library and any(part in file for part in _MACHINERY)
    part = original is not None or code.co_name.startswith(RESUME)
    return Described(described, inner, values, part, internal)


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


def _inside_wrapper(code: types.CodeType, values: Mapping[str, Any]) -> tuple[Any, types.FunctionType] | None:
    """A module of PyTorch's own is compiled through a wrapper that all of them share: which module is it?"""
    if code.co_name != "inner" or not code.co_filename.endswith(os.path.join("_dynamo", "external_utils.py")):
        return None
    target = values.get("fn")
    forward = inspect.getattr_static(type(target), "forward", None)
    return (target, forward) if isinstance(forward, types.FunctionType) else None


def _author_names(
    forward: types.FunctionType, values: Mapping[str, Any], target: Any
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """The arguments by the names of the method, and how the wrapper's names for them read there."""
    args, kwargs = tuple(values.get("args", ())), dict(values.get("kwargs", {}))
    names = list(forward.__code__.co_varnames[: forward.__code__.co_argcount])
    own = names[0] if names else "self"
    renamed = [(r"\bfn\b", own)]
    renamed += [(rf"\bargs\[{at}\]", name) for at, name in enumerate(names[1 : len(args) + 1])]
    renamed += [(rf"\bkwargs\[{re.escape(repr(key))}\]", str(key)) for key in kwargs]
    try:
        bound = inspect.signature(forward).bind(target, *args, **kwargs)
    except TypeError:  # it will be told when it is called
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
