"""Does the code of a body look at what its arguments are, in ways that a trace does not show?

``isinstance(k, int)`` takes another branch for a tensor, ``type(k) is int`` one for a number that notices who looks at
it, and an ``except`` may hide that something did not do; the calls that were traced need not show it. Of exact types
and of errors, all code that ran counts, other than TensorFlow's.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable
from types import CodeType
from typing import Any

from traceonce.frameworks.tensorflow.functions import unwrap

LOOKS_AT_TYPES = frozenset({"isinstance", "type", "hasattr", "getattr", "callable", "is_tensor", "is_tf_type"})
SUPPRESSES = frozenset({"suppress", "ExitStack"})
HANDLER, OLD_HANDLER = "PUSH_EXC_INFO", "SETUP_FINALLY"  # since and before Python 3.11
RAISES_AGAIN = frozenset({"RERAISE", "RAISE_VARARGS", "WITH_EXCEPT_START"})
GOES_ON = frozenset({"CHECK_EXC_MATCH", "CHECK_EG_MATCH", "POP_EXCEPT"})


def looks_at_types(function: Any) -> bool:
    """Does the body itself ask? What it calls may, since then it does the same with either, as far as a trace shows."""
    function, _ = unwrap(function)
    waiting = [getattr(function, "__code__", None)]
    while waiting:
        code = waiting.pop()
        if code is not None:
            if not LOOKS_AT_TYPES.isdisjoint(code.co_names):
                return True
            waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return False


def asks_for_exact_types(codes: Iterable[CodeType]) -> bool:
    """Does any of it ask of which class something is, other than the object that it is a method of?"""
    return any(map(_asks_for_exact_types, codes))


def _asks_for_exact_types(code: CodeType) -> bool:
    if not {"type", "__class__"} & {*code.co_names}:
        return False
    steps = list(dis.get_instructions(code))
    for before, step, after in zip([None, *steps], steps, [*steps[1:], None], strict=False):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval == "type":
            asked = after
        elif step.opname == "LOAD_ATTR" and step.argval == "__class__":
            asked = before
        else:
            continue
        if asked is None or not asked.opname.startswith("LOAD_FAST") or asked.argval not in ("self", "cls"):
            return True
    return False


def handles_errors(codes: Iterable[CodeType]) -> bool:
    """Does any of it go on after an error?"""
    return any(map(_handles_errors, codes))


def _handles_errors(code: CodeType) -> bool:
    if not SUPPRESSES.isdisjoint(code.co_names):
        return True
    in_handler = False
    for step in dis.get_instructions(code):
        if step.opname == OLD_HANDLER:
            return True
        if step.opname == HANDLER:
            in_handler = True
        elif in_handler and step.opname in RAISES_AGAIN:
            in_handler = False
        elif in_handler and step.opname in GOES_ON:
            return True
    return False
