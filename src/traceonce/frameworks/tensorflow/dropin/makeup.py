"""What equality forgets of a value: 1, True and 1.0 are equal, 0.0 and -0.0, `Decimal("1.0")` and `Decimal("1.00")`.

Two values that are equal and have the same makeup are the same to whatever a body does with them, as far as it is
Python's equality that decides: what a class of the user's own leaves out of its `__eq__` is left out here, too.
"""

from __future__ import annotations

import enum
import math
import types
from collections.abc import Mapping
from typing import Any

DEPTH = 8
EXACT = frozenset({int, bool, str, bytes, type(None)})  # equal ones of one type are the same
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: not a type that is made in C


class Unknown(Exception):  # noqa: N818  # a finding
    """It cannot be told what is in this."""


def makeup(thing: Any) -> Any:
    """The types of what is in a value, and all else that equal ones may differ in. Raises `Unknown`."""
    try:
        return _makeup(thing, DEPTH)
    except Exception:  # Python of the user's own that looks into it may raise anything
        raise Unknown from None


def _makeup(thing: Any, depth: int) -> Any:
    kind = type(thing)
    if kind in EXACT or not has_equality(kind) or isinstance(thing, (type, enum.Enum)):
        return kind
    if kind.__module__.partition(".")[0] == "tensorflow":  # dtypes, shapes, specs: they compare all that they hold
        return kind
    if kind is float:
        return kind, math.copysign(1.0, thing) if thing == 0 else 0.0
    if kind is complex:
        return kind, _makeup(thing.real, depth), _makeup(thing.imag, depth)
    if kind is range:
        return kind, thing.start, thing.stop, thing.step
    if depth == 0:
        raise Unknown
    depth -= 1
    held = tuple((name, _makeup(value, depth)) for name, value in sorted(_held(thing).items()))
    if isinstance(thing, (list, tuple)):
        return kind, held, tuple(_makeup(part, depth) for part in thing)
    if isinstance(thing, (set, frozenset)):
        return kind, held, frozenset((part, _makeup(part, depth)) for part in thing)
    if isinstance(thing, Mapping):
        return kind, held, tuple((key, _makeup(key, depth), _makeup(part, depth)) for key, part in thing.items())
    made_in_c = next(base for base in kind.__mro__ if not base.__flags__ & HEAP_TYPE)
    return kind, held, None if made_in_c is object else _copied(thing, depth)


def _held(thing: Any) -> dict[str, Any]:
    """The attributes that a value has of its own, in slots too."""
    slots = {
        name: getattr(thing, name)
        for kind in type(thing).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, types.MemberDescriptorType) and hasattr(thing, name)
    }
    return {**slots, **getattr(thing, "__dict__", {})}


def _copied(thing: Any, depth: int) -> Any:
    """What a copy of it would be made from: of a value that is made in C, there is no other way to look into it."""
    parts = thing.__reduce_ex__(4)
    hash(parts)
    return parts, _makeup(parts, depth)


def has_equality(kind: Any) -> bool:
    """Do objects of this class compare by something else than their identity?"""
    return bool(kind.__eq__ is not object.__eq__)
