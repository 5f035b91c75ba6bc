"""Which function is it? From the wrappers that TensorFlow puts around a Python function back to its author's line."""

from __future__ import annotations

import functools
import types
import weakref
from typing import Any, NamedTuple

from traceonce.facts import FunctionId
from traceonce.frameworks.base.places import Places
from traceonce.frameworks.tensorflow.own_files import GENERATED
from traceonce.frameworks.tensorflow.probes import written_at

OF_DATASET = " [dataset]"  # how the name of a function that was given to `tf.data` ends
_MACHINERY = tuple(f"python/{room}" for room in ("data", "distribute", "eager", "framework", "trackable"))


class Origins:
    """Where the author wrote what AutoGraph generated: told while it is traced, asked for later, too."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[types.CodeType], tuple[str, int]]] = {}

    def of(self, code: types.CodeType) -> tuple[str, int]:
        known = self._known.get(id(code))  # by identity: equal code objects of two files are two
        if known is not None and known[0]() is code:
            return known[1]
        origin = written_at(code)
        if origin is None:
            return code.co_filename, code.co_firstlineno
        self._known[id(code)] = weakref.ref(code), origin
        return origin


class Described(NamedTuple):
    """A function: how it is called in reports, its Python function, and what it is bound to."""

    id: FunctionId
    python: Any  # a FunctionType or None; typed so, mypy would take it for a method
    instance: Any
    internal: bool


def describe_function(python_function: Any, options: Any, places: Places, origins: Origins) -> Described:
    """Name the function behind `python_function`, the callable that was handed to `tf.function`."""
    attributes = options.attributes or {}
    if attributes.get("_tf_data_function"):
        return _describe_data_function(python_function, options, places, origins)
    inner, instance = unwrap(python_function)
    identity = _identify(inner, options.name, places, origins)
    # Functions of TensorFlow's own that no caller chose: iterators, replicas, forward-mode helpers.
    internal = options.function_cache is None or places.is_in_framework(identity.file or "", *_MACHINERY)
    return Described(identity, _plain(inner), instance, internal)


def unwrap(function: Any) -> tuple[Any, Any]:
    """The innermost Python function, and the object that a method on the way was bound to."""
    instance = None
    for _ in range(32):
        if hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, types.MethodType):
            instance = _bound_to(function)
            function = function.__func__
        elif isinstance(function, functools.partial):
            function = function.func
        elif (given := _given_to_strategy(function)) is not None:
            function = given
        elif hasattr(function, "__code__") or not callable(type(function).__call__):
            break
        elif isinstance(type(function).__call__, types.FunctionType):
            instance, function = function, type(function).__call__
        else:
            break
    return function, instance


def _given_to_strategy(wrapper: Any) -> Any:
    """The user's function in what `strategy.run` makes of it: a closure of TensorFlow's own over theirs, or None."""
    if not str(getattr(wrapper, "__module__", "")).startswith("tensorflow.python.distribute."):
        return None
    code = getattr(wrapper, "__code__", None)
    given = _cell(wrapper, "fn") if code is not None and "fn" in code.co_freevars else None
    return getattr(given, "python_function", given)


def _bound_to(method: types.MethodType) -> Any:
    """The real object: TensorFlow binds methods to a stand-in with a weak reference."""
    reference = getattr(method.__self__, "weakrefself_target__", None)
    return reference() if reference is not None else method.__self__


def _plain(function: Any) -> types.FunctionType | None:
    return function if isinstance(function, types.FunctionType) else None


def _identify(function: Any, fallback: str, places: Places, origins: Origins, note: str = "") -> FunctionId:
    code = getattr(function, "__code__", None)
    name = str(getattr(function, "__qualname__", None) or fallback)
    if code is None:
        return FunctionId(name + note)
    file, line = code.co_filename, code.co_firstlineno
    if GENERATED in file:
        name = name.removeprefix("outer_factory.<locals>.inner_factory.<locals>.").removeprefix("tf__")
        file, line = origins.of(code)
    return FunctionId(name + note, places.shorten(file), line, library=not places.is_user(file))


def _describe_data_function(python_function: Any, options: Any, places: Places, origins: Origins) -> Described:
    """A function given to `tf.data`: all of them share one wrapper, so look for the one inside."""
    try:
        helper = _cell(python_function, "wrapper_helper")
        given = _cell(helper, "self")._func
    except (AttributeError, LookupError, ValueError):
        return Described(FunctionId(options.name + OF_DATASET), None, None, internal=True)
    inner, instance = unwrap(given)
    identity = _identify(inner, options.name, places, origins, OF_DATASET)
    return Described(identity, _plain(inner), instance, internal=identity.library or identity.file is None)


def _cell(function: Any, name: str) -> Any:
    names = function.__code__.co_freevars
    return function.__closure__[names.index(name)].cell_contents
