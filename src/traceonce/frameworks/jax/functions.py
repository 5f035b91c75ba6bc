"""Which function is it? From what was handed to `jax.jit` back to its author's line, and what is bound to it."""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from traceonce.facts import FunctionId
from traceonce.frameworks.base.closed_over import cells
from traceonce.frameworks.base.literals import shorten_repr
from traceonce.frameworks.jax.own_files import JaxPlaces

PLAIN = (bool, int, float, complex, str, bytes, type(None))
FEW = 16  # items of a tuple of functions that are looked at (the branches of `switch`)


class Described(NamedTuple):
    """A function: how it is called in reports, its Python function, and what it is bound to."""

    id: FunctionId
    python: Any  # a FunctionType or None; typed so, mypy would take it for a method
    instance: Any
    internal: bool


def describe_function(function: Any, places: JaxPlaces, note: str = "") -> Described:
    """Name the function behind the callable that was handed to `jax.jit`.

    What JAX itself put around it (`grad`, `vmap`) is part of the name: ``loss [grad]``. So is a function of JAX's own
    that is handed the user's: ``step [scan]``, of ``partial(jax.lax.scan, step)``.
    """
    around: list[str] = []
    given: list[Any] = []
    instance = None
    for _ in range(32):
        if isinstance(function, functools.partial):
            given += (*function.args, *function.keywords.values())
            function = function.func
        elif isinstance(function, types.MethodType):
            instance, function = function.__self__, function.__func__
        elif hasattr(function, "__wrapped__"):
            code = _own_code(function)
            if code is not None and places.is_jax(code.co_filename):
                around.append(_transformation(code))
            function = function.__wrapped__
        elif not hasattr(function, "__code__") and isinstance(
            inspect.getattr_static(type(function), "__call__", None), types.FunctionType
        ):
            instance, function = function, type(function).__call__
        elif (mapped := _mapped(function, places)) is not None:
            around, function = ["pmap"], mapped
        else:
            break
    code = getattr(function, "__code__", None)
    name = str(getattr(function, "__qualname__", None) or type(function).__qualname__)
    notes = [*around, *([note] if note else [])]
    name += f" [{', '.join(notes)}]" if notes else ""
    if code is None:
        return Described(FunctionId(name), None, instance, internal=True)
    file = code.co_filename
    users = find_users_function(given, places) if places.is_jax(file) else None
    if users is not None:
        return describe_function(users, places, note=str(function.__name__))
    identity = FunctionId(name, places.shorten(file), code.co_firstlineno, library=not places.is_user(file))
    python = function if isinstance(function, types.FunctionType) else None
    return Described(identity, python, instance, internal=places.is_jax(file))


def find_users_function(values: Iterable[Any], places: JaxPlaces) -> Any:
    """The first function that is not JAX's among values that are handed to a function of JAX's."""
    functions = (item for value in values for item in _functions(value))
    return next((item for item in functions if not places.is_jax(_code(item).co_filename)), None)


def _functions(value: Any, deep: int = 2) -> Iterator[Any]:
    """A function, or those in a small tuple or set (in the order of their lines: a set has none)."""
    if isinstance(_code(value), types.CodeType):
        yield value
    elif type(value) in (tuple, frozenset) and len(value) <= FEW and deep:
        found = [function for item in value for function in _functions(item, deep - 1)]
        yield from found if type(value) is tuple else sorted(found, key=lambda item: _code(item).co_firstlineno)


def _code(value: Any) -> Any:
    return getattr(value.func if isinstance(value, functools.partial) else value, "__code__", None)


def _own_code(function: Any) -> Any:
    """The code of a wrapper, where need be inside another that filters tracebacks (which libraries use, too)."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_name == "reraise_with_filtered_traceback" and "fun" in code.co_freevars:
        inner = function.__closure__[code.co_freevars.index("fun")].cell_contents
        return getattr(inner, "__code__", code)
    return code


def _transformation(code: types.CodeType) -> str:
    """``grad``, of the wrapper that JAX made (``grad_f``); ``jacfwd``, of its ``jacfun``, which `jacrev` has, too."""
    if code.co_name == "wrapped":  # says nothing: `shard_map` has a file of its own
        return os.path.basename(code.co_filename).removesuffix(".py").lstrip("_")
    if code.co_name == "jacfun":
        around: str = getattr(code, "co_qualname", code.co_name).partition(".")[0]  # Python 3.10 does not know it
        return around
    return code.co_name.removeprefix("fun_").removesuffix("_f").removesuffix("_fun")


def _mapped(function: Any, places: JaxPlaces) -> Any:
    """The function that was handed to `jax.pmap`, which from 0.9 on jits a function of its own around it."""
    code = getattr(function, "__code__", None)
    if code is None or not places.is_jax(code.co_filename) or "fun" not in code.co_freevars:
        return None
    return getattr(function.__closure__[code.co_freevars.index("fun")].cell_contents, "f", None)


def bound_values(function: Any, number: Callable[[Any], int]) -> dict[str, str]:
    """What makes one function object differ from another over the same code: cells, partial arguments, defaults."""
    return {path: _text(value, number) for path, value in _bound(function)}


def _bound(function: Any) -> Iterator[tuple[str, Any]]:
    for _ in range(32):
        if isinstance(function, functools.partial):
            names = _parameters(function.func)
            for index, value in enumerate(function.args):
                yield from _bound_by(f"{names[index] if index < len(names) else index} (bound by partial)", value)
            for name, value in function.keywords.items():
                yield from _bound_by(f"{name} (bound by partial)", value)
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if not isinstance(function, types.FunctionType):
        return
    yield from cells(function)
    names = _parameters(function)
    defaults = function.__defaults__ or ()
    for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=False):
        yield f"{name} (a default)", value
    for name, value in (function.__kwdefaults__ or {}).items():
        yield f"{name} (a default)", value


def _bound_by(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What is bound; of a function its code and what it closes over: made anew from the same, nothing differs."""
    if type(value) is types.FunctionType:
        yield path, value.__code__
        yield from _bound(value)
    else:
        yield path, value


def _parameters(function: Any) -> list[str]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return list(code.co_varnames[: code.co_argcount]) if code is not None else []


def _text(value: Any, number: Callable[[Any], int]) -> str:
    if type(value) in PLAIN or (type(value) is tuple and all(type(item) in PLAIN for item in value)):
        return shorten_repr(value)
    if type(value).__module__ == "numpy" and getattr(value, "size", 0) == 1:
        return shorten_repr(value.item())
    try:
        return f"{type(value).__name__} {number(value)}"
    except TypeError:  # it cannot be weakly referenced
        return type(value).__name__
