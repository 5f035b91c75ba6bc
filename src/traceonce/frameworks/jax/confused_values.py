"""Wrong answers that come without a trace: an equal static number of another type was served.

Up to 0.8, JAX takes 2 and 2.0 (and 1 and True) for the same where a static argument is passed by name. While calls
still come through Python, the frame of the call shows what was passed.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

from traceonce.facts import Cause, CauseCode, Leaf, Signature
from traceonce.facts.signature import NUMBERS, same_literal
from traceonce.frameworks.base.literals import python_leaf
from traceonce.frameworks.jax.signatures import passed_arguments

NEAR = 12  # frames between a call and what serves it


def static_numbers(signature: Signature) -> dict[str, Leaf]:
    """The numbers that a trace was made for."""
    return {leaf.path: leaf for leaf in signature.leaves if leaf.static and leaf.type_name in NUMBERS}


def find_confused(numbers: dict[str, Leaf], frame: types.FrameType | None) -> Iterator[Cause]:
    """Numbers in the call under way that equal those of its trace, but are of another type."""
    for _ in range(NEAR):
        if frame is None:
            return
        if frame.f_code.co_name == "cache_miss":
            break
        frame = frame.f_back
    here = frame.f_locals if frame is not None else {}
    if any(name not in here for name in ("args", "kwargs", "jit_info")):
        return
    declared = getattr(here["jit_info"].fun_signature, "parameters", None) or {}
    for item in passed_arguments(declared, here["jit_info"], here["args"], here["kwargs"]):
        made_for = numbers.get(item.path)
        if made_for is None or type(item.value).__name__ not in NUMBERS:
            continue
        leaf = python_leaf(item.path, item.value)
        if leaf.type_name != made_for.type_name and same_literal(leaf, made_for):
            was = f"{made_for.value} ({made_for.type_name})"
            yield Cause(CauseCode.CONFUSED, item.path, was, f"{leaf.value} ({leaf.type_name})")
