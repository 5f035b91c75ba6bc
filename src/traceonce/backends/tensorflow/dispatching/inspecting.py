"""Does the user's code look at what its arguments are, in ways that a trace does not show?

``isinstance(k, int)`` takes another branch for a tensor, and an ``except`` may hide that the tensor did not do; the two
values that were traced, and the data that they were run on, need not show it.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

from traceonce.backends.places import Places
from traceonce.backends.tensorflow.functions import unwrap

LOOKS_AT_TYPES = frozenset({"isinstance", "type", "hasattr", "getattr", "callable", "is_tensor", "is_tf_type"})
LOOKS_AT_SHAPES = frozenset({"get_static_value", "constant_value", "type_spec_from_value", "int_shape", "from_tensor"})
HANDLES_ERRORS = frozenset({"CHECK_EXC_MATCH", "JUMP_IF_NOT_EXC_MATCH"})
CALLED = 4  # functions that call functions


def looks_at_types(function: Any, depth: int) -> bool:
    """Does it, or a function of the user's that it names, ask what a value is, or go on after an error?"""
    return any(
        not LOOKS_AT_TYPES.isdisjoint(code.co_names)
        or any(step.opname in HANDLES_ERRORS for step in dis.get_instructions(code))
        for code in _codes(function, depth)
    )


def looks_at_shapes(function: Any) -> bool:
    """Does it ask TensorFlow for what is known of a tensor while tracing, other than by its shape?"""
    return any(not LOOKS_AT_SHAPES.isdisjoint(code.co_names) for code in _codes(function, CALLED))


def _codes(function: Any, depth: int) -> Iterator[types.CodeType]:
    """The code of a function, of those written inside it, and of those of the user's that it names."""
    function, _ = unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None or not _places().is_user(code.co_filename):
        return
    names: set[str] = set()
    waiting = [code]
    while waiting:
        part = waiting.pop()
        yield part
        names.update(part.co_names)
        waiting += [constant for constant in part.co_consts if isinstance(constant, types.CodeType)]
    if depth:
        called = [function.__globals__[name] for name in names if name in function.__globals__]
        called += [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        for other in called:
            if other is not function and callable(other) and not isinstance(other, type):
                yield from _codes(other, depth - 1)


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # asking is the question
    except ValueError:
        return False
    return True


@functools.cache
def _places() -> Places:
    import tensorflow as tf

    return Places((tf.__file__,))
