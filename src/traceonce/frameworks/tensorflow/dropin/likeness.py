"""When do two objects among the arguments mean the same to a trace? What a key holds in their place.

Equal objects (a class with an ``__eq__`` of its own) are held by value, so that a later, equal one finds the trace when
the first is long gone. All others are held by a mark that dies with them. What is made anew for each call although it
does the same is taken apart when it is first seen: a function is its code, its defaults, what it closes over and the
globals that it names; a partial its function and its arguments; a bound method its function, its object, and what is in
that object. Where something in there is not understood, the object stands for itself alone, as it does for TensorFlow.
"""

from __future__ import annotations

import dis
import enum
import functools
import math
import sys
import types
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from traceonce.frameworks.tensorflow.dropin.makeup import Unknown, has_equality, makeup
from traceonce.frameworks.tensorflow.dropin.parts import (
    EagerTensor,
    ResourceVariable,
    dtypes,
    polymorphic_function,
)

DEPTH = 5  # functions that close over objects that hold functions
ITEMS = 256  # in one object
PLAIN = frozenset({int, bool, str, bytes, type(None)})
TEMPORARY = (types.FunctionType, types.MethodType, functools.partial)
FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "numpy", "traceonce")
UNCHANGING = (EagerTensor, ResourceVariable, dtypes.DType, polymorphic_function.Function, np.ufunc, np.dtype)
PURE = frozenset({"builtins", "math", "cmath", "operator", "_operator", "functools", "_functools", "itertools"})
READ_ANYTHING = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "compile", "open", "input", "id", "hash", "__import__"}
    | {"getattr", "breakpoint", "memoryview"}
)
# Parts of TensorFlow that answer with what somebody has set, or with where they are asked.
SETTINGS = frozenset(
    {"keras", "config", "summary", "distribute", "compat", "experimental", "debugging", "profiler", "context", "eager"}
    | {"__internal__", "logging", "saved_model", "data", "io", "lookup", "queue", "sysconfig", "version", "tf_logging"}
)
MADE_OF_PARTS = (types.MethodType, functools.partial, list, tuple, dict)
ZERO, NEGATIVE_ZERO, NAN = "0.0", "-0.0", "nan"


class NotUnderstood(Exception):  # noqa: N818  # a finding: such an argument is left to TensorFlow
    """Nothing that stands for this object can be kept."""


class Mark:
    """Stands for one object for as long as it lives; `likeness` is what was found of it when it was first seen."""

    __slots__ = ("likeness", "reference")

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self.reference = reference
        self.likeness: Hashable = None


class Marks:
    """The marks of all objects that were arguments of one function; `on_death` is told when one of them died."""

    def __init__(self, on_death: Callable[[], None]) -> None:
        self._marks: dict[int, Mark] = {}
        self._on_death = on_death

    def living(self) -> list[Mark]:
        return list(self._marks.values())

    def of(self, thing: Any) -> Mark:
        known = self._marks.get(id(thing))
        if known is not None and known.reference() is thing:
            return known
        marks, number, on_death = self._marks, id(thing), self._on_death

        def forget(reference: weakref.ref[Any]) -> None:
            mark = marks.get(number)
            if mark is not None and mark.reference is reference:
                del marks[number]
            on_death()

        try:
            mark = Mark(weakref.ref(thing, forget))
        except TypeError:
            raise NotUnderstood from None
        marks[number] = mark
        return mark


class ByValue:
    """Stands for an object by its value, as its class compares it; but 1 and 1.0 in it are two, however deep."""

    __slots__ = ("_hash", "_makeup", "_thing")

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        try:
            self._hash = hash(thing)
        except Exception:
            raise NotUnderstood from None
        self._makeup = makeup(thing)

    def equals(self, thing: Any) -> bool:
        try:
            return (self._thing == thing) is True
        except Exception:
            return False

    def __eq__(self, other: object) -> bool:
        if type(other) is not ByValue or self._hash != other._hash or self._makeup != other._makeup:
            return False  # another hash: the object has changed since
        return self._thing is other._thing or self.equals(other._thing)

    def __hash__(self) -> int:
        return self._hash


class Likeness:
    """Finds what stands for an object in a key."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    def of(self, thing: Any) -> Hashable:
        """Equal for objects that a trace may share. Raises `NotUnderstood`."""
        kind = type(thing)
        if kind in TEMPORARY:
            mark = self._marks.of(thing)
            if mark.likeness is None:
                mark.likeness = self._contents(thing) or mark
            return mark.likeness
        if isinstance(thing, enum.Enum):
            return kind, thing
        if not has_equality(kind) or isinstance(thing, type):
            return self._marks.of(thing)
        try:
            value = ByValue(thing)
        except Unknown:  # equal ones may differ
            return self._marks.of(thing)
        if not value.equals(thing):  # some types never equal themselves
            raise NotUnderstood
        return value

    def look_again(self) -> None:
        """Before a trace is made: what has changed since it was first seen stands for itself alone from now on."""
        for mark in self._marks.living():
            thing = mark.reference()
            if mark.likeness is not None and mark.likeness is not mark and self._contents(thing) != mark.likeness:
                mark.likeness = mark

    def key(self, thing: Any) -> Hashable | None:
        """The same, with None for what is not understood, whatever the user's own code does about it."""
        try:
            return self.of(thing)
        except Exception:
            return None

    def _contents(self, thing: Any) -> Hashable:
        """What a function, a method or a partial consists of; None where that is not understood."""
        try:
            return self._inside(thing, DEPTH)
        except (NotUnderstood, ValueError, RecursionError):  # ValueError: an empty cell, it is not finished yet
            return None

    def _inside(self, thing: Any, depth: int) -> Hashable:
        kind = type(thing)
        if kind in PLAIN:
            return kind, thing
        if kind is float:
            return kind, float_key(thing)
        if isinstance(thing, enum.Enum):
            return kind, thing
        if _stays_as_it_is(thing):
            return self._marks.of(thing)
        if depth == 0:
            raise NotUnderstood
        parts = list(_parts(thing))
        if len(parts) > ITEMS:
            raise NotUnderstood
        return kind, _identity(thing, self._marks), tuple(self._inside(part, depth - 1) for part in parts)


def _stays_as_it_is(thing: Any) -> bool:
    """Does nothing that could change hang on this: an operation of TensorFlow's, a tensor, a variable?

    Raises `NotUnderstood` for what may hold anything, or read it: modules, the user's own classes, layers, arrays, and
    whatever asks the system, the clock or a library's settings.
    """
    if isinstance(thing, types.ModuleType):
        raise NotUnderstood
    if isinstance(thing, type):
        known = _is_unchanging(thing.__module__)
    elif isinstance(thing, types.BuiltinFunctionType):
        owner = thing.__self__
        of_a_module = owner is None or isinstance(owner, types.ModuleType)
        known = of_a_module and thing.__name__ not in READ_ANYTHING and _is_unchanging(str(thing.__module__))
    elif isinstance(thing, types.FunctionType):
        module = str(thing.__module__)
        if not _is_of_a_library(module):
            return False
        known = _is_unchanging(module)
    elif type(thing).__module__.partition(".")[0] in FRAMEWORKS:
        known = isinstance(thing, UNCHANGING) or (
            callable(thing) and type(thing).__name__ == "_ArrayFunctionDispatcher"
        )
    else:
        return False
    if not known:
        raise NotUnderstood
    return True


def _is_of_a_library(module: str) -> bool:
    top = module.partition(".")[0]
    return top in FRAMEWORKS or top in sys.stdlib_module_names


def _is_unchanging(module: str) -> bool:
    """Does what is in this module give the same each time that it is traced?"""
    parts = module.split(".")
    if parts[0] in ("tensorflow", "numpy"):
        return SETTINGS.isdisjoint(parts) and not (parts[0] == "numpy" and "random" in parts)
    return parts[0] in PURE


def _identity(thing: Any, marks: Marks) -> Hashable:
    """What of a thing is the same for all that are made alike, or, for an object, the object itself."""
    if isinstance(thing, types.FunctionType):
        return thing.__code__, id(thing.__globals__)
    return None if type(thing) in MADE_OF_PARTS else marks.of(thing)


def _parts(thing: Any) -> Iterator[Any]:
    """What a thing consists of, as far as a trace can read it."""
    if isinstance(thing, types.FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
        yield from thing.__defaults__ or ()
        yield from _items(thing.__kwdefaults__ or {})
        yield from _items(thing.__dict__)
        yield from (value for value in _globals_read(thing.__code__, thing.__globals__) if value is not thing)
    elif isinstance(thing, types.MethodType):
        yield from (thing.__self__, thing.__func__)
    elif isinstance(thing, functools.partial):
        yield from (thing.func, *thing.args)
        yield from _items(thing.keywords)
        yield from _items(thing.__dict__)
    elif type(thing) is dict:
        yield from _items(thing)
    elif type(thing) in (list, tuple):
        yield from thing
    elif isinstance(thing, (list, tuple, dict, set, frozenset)) or not hasattr(thing, "__dict__"):
        raise NotUnderstood
    else:
        yield from _items(thing.__dict__)
        for kind in type(thing).__mro__[:-1]:
            yield from _class_parts(kind)


def _class_parts(kind: type) -> Iterator[Any]:
    """What an object gets from its class: methods, properties, and values that are shared."""
    if _is_of_a_library(kind.__module__):
        return
    for name, value in vars(kind).items():
        if isinstance(value, (staticmethod, classmethod)):
            yield value.__func__
        elif isinstance(value, property):
            yield value.fget
        elif isinstance(value, types.MemberDescriptorType):
            raise NotUnderstood
        elif isinstance(value, types.FunctionType) or not name.startswith("__"):
            yield value


def _items(mapping: Any) -> Iterator[Any]:
    for key, value in mapping.items():
        yield key
        yield value


def _globals_read(code: types.CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """What a piece of code, and the functions written inside it, reads as globals: of a module, what it takes of it."""
    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            raise NotUnderstood
        if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
            continue
        if step.argval not in names:
            if step.argval in READ_ANYTHING:
                raise NotUnderstood
            continue
        value = names[step.argval]
        for following in steps[place + 1 :]:
            if not isinstance(value, types.ModuleType) or following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            if not _is_unchanging(value.__name__):
                raise NotUnderstood
            value = getattr(value, following.argval)
        yield value
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_read(constant, names)


def float_key(number: float) -> Hashable:
    """A key under which 0.0 and -0.0 are two, and nan is itself."""
    if number and number == number:  # nan
        return number
    return ZERO if math.copysign(1.0, number) > 0 and number == 0 else NEGATIVE_ZERO if number == 0 else NAN


def number_of(key: str) -> float:
    """The number behind such a key."""
    return {ZERO: 0.0, NEGATIVE_ZERO: -0.0, NAN: math.nan}[key]
