"""Does Python look at a number while a body is traced? Found out with a number that notices.

``if 0 <= rate < 1`` in a library, ``"train" if n else "warm-up"``, a text with the number in it: whatever hangs on the
value, and not on the tensor that is made of it, would not be there with a tensor in its place, and for the two values
that were traced that need not show. What is computed from such a number notices, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from traceonce.frameworks.tensorflow.dropin.reads import is_for_people, is_machinery, makes_tensors

NUMBERS = (int, float)
COMPUTED = (
    *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__"),
    *("__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rmod__", "__rpow__"),
)
ALONE = ("__neg__", "__pos__", "__abs__")
CONVERTED = ("__int__", "__float__", "__index__")
LOOKED = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__"),
    *(*CONVERTED, "__round__", "__trunc__", "__floor__", "__ceil__", "__complex__"),
    *("__str__", "__repr__", "__format__", "__divmod__", "__rdivmod__"),
    *("__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__invert__"),
    *("__rand__", "__ror__", "__rxor__", "__rlshift__", "__rrshift__"),
    *("bit_length", "bit_count", "to_bytes", "is_integer", "as_integer_ratio", "conjugate", "hex"),
)


def noticing(number: Any, looked: Callable[[], None]) -> Any:
    """A number like this one; `looked` is told when anybody looks at it."""
    kind = _kinds[type(number)]
    made = kind(number)
    made.looked = looked
    return made


def _computing(name: str, base: type) -> Any:
    original = getattr(base, name)

    def compute(self: Any, *others: Any) -> Any:
        if not all(isinstance(other, NUMBERS) for other in others):
            return NotImplemented
        result = original(self, *map(_plain, others))
        if result is NotImplemented and others and isinstance(others[0], float):  # a whole number and a float
            swapped = {"__r": "__", "__": "__r"}["__r" if name.startswith("__r") else "__"]
            other_name = swapped + name.removeprefix("__r" if name.startswith("__r") else "__")
            result = getattr(float(_plain(others[0])), other_name)(_plain(self))
        return noticing(result, self.looked) if type(result) in _kinds else result

    return compute


def _looking(name: str, base: type) -> Any:
    original = getattr(base, name)

    def look(self: Any, *others: Any, **named: Any) -> Any:
        code = sys._getframe(1).f_code
        if not (is_machinery(code) or is_for_people(code) or (name in CONVERTED and makes_tensors(code))):
            self.looked()
        return original(_plain(self), *map(_plain, others), **named)

    return look


def _plain(number: Any) -> Any:
    for base in (float, int):
        if type(number) is _kinds[base]:
            return base.__pos__(number)
    return number


def _noticing_kind(base: type) -> type:
    members: dict[str, Any] = {name: _computing(name, base) for name in COMPUTED if hasattr(base, name)}
    members |= {name: _computing(name, base) for name in ALONE}
    members |= {name: _looking(name, base) for name in LOOKED if hasattr(base, name)}
    return type(base.__name__, (base,), {**members, "__module__": "builtins"})


_kinds: dict[type, Any] = {base: _noticing_kind(base) for base in NUMBERS}
