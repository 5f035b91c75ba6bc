"""When do two objects among the arguments mean the same to a trace? What a key holds in their place.

Equal objects (a class with an ``__eq__`` of its own) are held by value, so that a later, equal one finds the trace when
the first is long gone. All others are held by a mark that dies with them. What is made anew for each call although it
does the same is taken apart: a bound method is its object and its function, a partial its function and its arguments,
and a plain function its code, its defaults and what it closes over, as they are at the time of the call.
"""

from __future__ import annotations

import enum
import functools
import math
import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

DEPTH = 4  # functions that close over functions
ZERO, NEGATIVE_ZERO, NAN = "0.0", "-0.0", "nan"
PLAIN = frozenset({int, bool, str, bytes, type(None)})


class NotUnderstood(Exception):  # noqa: N818  # a finding: such an argument is left to TensorFlow
    """Nothing that stands for this object can be kept."""


class Mark:
    """Stands for one object for as long as it lives."""

    __slots__ = ("__weakref__", "reference")

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self.reference = reference


class Marks:
    """The marks of all objects that were arguments of one function; `on_death` is told when one of them died."""

    def __init__(self, on_death: Callable[[], None]) -> None:
        self._marks: dict[int, Mark] = {}
        self._on_death = on_death

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


class Likeness:
    """Finds what stands for an object in a key."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    def of(self, thing: Any) -> Hashable:
        """Equal for objects that a trace may share. Raises `NotUnderstood`."""
        return self._of(thing, DEPTH)

    def _of(self, thing: Any, depth: int) -> Hashable:
        kind = type(thing)
        if kind in PLAIN:
            return kind, thing
        if kind is float:
            return kind, float_key(thing)
        if depth == 0:
            return self._marks.of(thing)
        if kind is types.FunctionType:
            return self._function(thing, depth)
        if kind is types.MethodType:
            return kind, self._marks.of(thing.__self__), thing.__func__
        if kind is functools.partial:
            return self._partial(thing, depth)
        if kind is tuple:
            return kind, tuple(self._of(item, depth - 1) for item in thing)
        if isinstance(thing, enum.Enum):
            return kind, thing
        if not _has_equality(kind) or isinstance(thing, type):
            return self._marks.of(thing)
        if kind.__hash__ is not None and (thing == thing) is True:  # some types never equal themselves
            return kind, thing
        if depth < DEPTH:  # a tensor or an array inside a function: it is baked into the trace as the object that it is
            return self._marks.of(thing)
        raise NotUnderstood

    def _function(self, function: types.FunctionType, depth: int) -> Hashable:
        if function.__dict__:
            return self._marks.of(function)
        named = (function.__kwdefaults__ or {}).items()
        try:
            cells = tuple(self._of(cell.cell_contents, depth - 1) for cell in function.__closure__ or ())
            defaults = tuple(self._of(value, depth - 1) for value in function.__defaults__ or ())
            keywords = tuple((name, self._of(value, depth - 1)) for name, value in named)
        except (NotUnderstood, ValueError):  # ValueError: an empty cell, the function is not finished yet
            return self._marks.of(function)
        return types.FunctionType, function.__code__, id(function.__globals__), cells, defaults, keywords

    def _partial(self, partial: functools.partial[Any], depth: int) -> Hashable:
        if partial.__dict__:
            return self._marks.of(partial)
        try:
            arguments = tuple(self._of(value, depth - 1) for value in partial.args)
            keywords = tuple((name, self._of(value, depth - 1)) for name, value in partial.keywords.items())
            return functools.partial, self._of(partial.func, depth - 1), arguments, keywords
        except NotUnderstood:
            return self._marks.of(partial)


def _has_equality(kind: Any) -> bool:
    return kind.__eq__ is not object.__eq__


def float_key(number: float) -> Hashable:
    """A key under which 0.0 and -0.0 are two, and nan is itself."""
    if number and number == number:  # nan
        return number
    return ZERO if math.copysign(1.0, number) > 0 and number == 0 else NEGATIVE_ZERO if number == 0 else NAN


def number_of(key: str) -> float:
    """The number behind such a key."""
    return {ZERO: 0.0, NEGATIVE_ZERO: -0.0, NAN: math.nan}[key]
