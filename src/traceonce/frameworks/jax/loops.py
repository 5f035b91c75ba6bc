"""Loops and branches outside of any jitted function: `lax.scan` and its kin compile their body, too.

JAX runs such an operation through a jitted function of its own, one for each body. A body that is a new function at
each call (a lambda) is compiled at each call, and that is the user's affair: so the body is named, and told of like a
jitted function: ``<lambda> [scan]``.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from traceonce.frameworks.base.places import OURS
from traceonce.frameworks.jax.own_files import JaxPlaces


class Loop(NamedTuple):
    """An operation with a body of the user's: the body, where its function object was found, and argument names."""

    primitive: str
    name: str
    file: str
    line: int
    function: Any
    names: list[str]


def find_loop(function: Any, frame: types.FrameType | None, places: JaxPlaces, count: int) -> Loop | None:
    """What a jitted function of JAX's own runs, where that is an operation with a body that is not JAX's."""
    if not getattr(function, "_apply_primitive", False):
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    if "prim" not in cells or "params" not in cells:
        return None
    primitive, params = cells["prim"].cell_contents, cells["params"].cell_contents
    for jaxpr in _bodies(params):
        info: Any = getattr(getattr(jaxpr, "jaxpr", jaxpr), "debug_info", None)
        file, line = getattr(info, "func_filename", None), getattr(info, "func_lineno", None)
        if file is None or places.is_jax(file):
            continue
        body = _find_function(frame, file, line)
        name = _called(frame, places) or primitive.name
        return Loop(name, info.func_name, file, line or 0, body, _names(primitive.name, params, count))
    body = _given_function(frame, places) if primitive.name in ("scan", "while", "cond") else None
    if body is None:
        return None
    code = body.__code__
    called = _called(frame, places) or primitive.name
    names = _names(primitive.name, params, count)
    return Loop(called, body.__name__, code.co_filename, code.co_firstlineno, body, names)


def _called(frame: types.FrameType | None, places: JaxPlaces) -> str | None:
    """What was called: the function of JAX next to code that is not JAX's (`fori_loop` is a scan inside)."""
    name = None
    while frame is not None and is_on_the_way(frame, places):
        if not frame.f_code.co_name.startswith(("reraise", "<")):
            name = frame.f_code.co_name
        frame = frame.f_back
    return name


def _bodies(params: dict[str, Any]) -> Iterator[Any]:
    for key in ("jaxpr", "body_jaxpr", "cond_jaxpr", "branches", "call_jaxpr"):
        value = params.get(key)
        if value is not None:
            yield from value if isinstance(value, (tuple, list)) else (value,)


def _find_function(frame: types.FrameType | None, file: str, line: int | None) -> Any:
    """The function object itself, among the arguments of JAX's functions on the stack."""
    for _ in range(64):
        if frame is None:
            return None
        for value in list(frame.f_locals.values()):
            for item in value if type(value) in (list, tuple) and len(value) <= 64 else (value,):
                code: Any = getattr(item, "__code__", None)
                if isinstance(item, types.FunctionType) and (code.co_filename, code.co_firstlineno) == (file, line):
                    return item
        frame = frame.f_back
    return None


def _given_function(frame: types.FrameType | None, places: JaxPlaces) -> Any:
    """A function that is not JAX's among the arguments of those of JAX that lead here: `lax.map` wraps its own body."""
    while frame is not None and is_on_the_way(frame, places):
        arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        for name in arguments:
            value = frame.f_locals.get(name)
            if isinstance(value, types.FunctionType) and not places.is_jax(value.__code__.co_filename):
                return value
        frame = frame.f_back
    return None


def is_on_the_way(frame: types.FrameType, places: JaxPlaces) -> bool:
    """Is it a frame of JAX's, or of ours (which stand among them)?"""
    return places.is_jax(frame.f_code.co_filename) or frame.f_code.co_filename.startswith(OURS)


def _names(primitive: str, params: dict[str, Any], count: int) -> list[str]:
    """Names for the flat arguments: what the loop captured, what it carries, what it runs over."""
    if primitive == "scan":
        if "ft_in" in params:  # from 0.11 on
            captured, carried = (len(part) for part in params["ft_in"].unpack()[:2])
        else:
            captured, carried = params.get("num_consts", 0), params.get("num_carry", 0)
        names = [*_row("captured", captured), *_row("carry", carried)]
        return names + _row("xs", count - len(names))
    if primitive == "while":
        captured = params.get("cond_nconsts", 0) + params.get("body_nconsts", 0)
        return _row("captured", captured) + _row("init", count - captured)
    return _row("operands", count)


def _row(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}[{index}]" for index in range(count)]
