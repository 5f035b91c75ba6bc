"""Are two results the same? Structure, dtype and shape to the letter; values within a tolerance that fits the dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from traceonce.facts.replay import Returned, Value

# Relative to the size of the numbers in the array: sums come out in another order, and small steps add up over a run.
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-5, "complex64": 1e-5}
COARSE = 1e-2  # float16, bfloat16 and smaller


def tolerance(dtype: str) -> float:
    """0 where values are to be the same to the last bit."""
    if dtype in TOLERANCES:
        return TOLERANCES[dtype]
    return COARSE if "float" in dtype else 0.0


def first_difference(was: Returned, now: Returned) -> str | None:
    """The first way in which two results of the same call differ, in words; None where they do not."""
    if was.error != now.error:
        return f"{_outcome(was)} → {_outcome(now)}"
    if was.error is not None:
        return None
    if was.structure != now.structure:
        return f"structure {was.structure} → {now.structure}"
    if len(was.values) != len(now.values):
        return f"{len(was.values)} values → {len(now.values)} values"
    for index, (before, after) in enumerate(zip(was.values, now.values, strict=True)):
        difference = value_difference(before, after)
        if difference is not None:
            return difference if len(was.values) == 1 else f"value {index}: {difference}"
    return None


def _outcome(returned: Returned) -> str:
    if returned.error is None:
        return "a result"
    text = returned.message.removeprefix(f"{returned.error}: ")  # rewritten code has the type in the text, too
    return f"{returned.error}: {text}" if returned.message else returned.error


def value_difference(was: Value, now: Value) -> str | None:
    if was.kind != now.kind:
        return f"{_describe(was)} → {_describe(now)}"
    if was.kind == "opaque":
        return None if was.type_name == now.type_name else f"{was.type_name} → {now.type_name}"
    if was.kind == "python":
        return _python_difference(was, now)
    if was.dtype != now.dtype:
        return f"dtype {was.dtype} → {now.dtype}"
    if was.shape != now.shape:
        return f"shape {list(was.shape)} → {list(now.shape)}"
    return _array_difference(was, now)


def _describe(value: Value) -> str:
    return f"{value.dtype}{list(value.shape)}" if value.kind == "array" else value.type_name


def _python_difference(was: Value, now: Value) -> str | None:
    if was.type_name != now.type_name:
        return f"{was.type_name} {was.text} → {now.type_name} {now.text}"
    if was.text == now.text:
        return None
    if was.type_name == "float":
        with_tolerance = math.isclose(float(was.text), float(now.text), rel_tol=1e-6, abs_tol=1e-12)
        return None if with_tolerance else f"{was.text} → {now.text}"
    return f"{was.text} → {now.text}"


def _array_difference(was: Value, now: Value) -> str | None:
    if was.text or now.text:  # strings
        return None if was.text == now.text else f"{was.text[:60]} → {now.text[:60]}"
    if was.data is None or now.data is None:
        return _summary_difference(was, now)
    if was.data == now.data:
        return None
    before, after = _array(was), _array(now)
    allowed = tolerance(was.dtype)
    if not allowed:
        place = np.unravel_index(int(np.argmax(before != after)), before.shape) if before.shape else ()
        return f"{_at(place)}{before[place]} → {after[place]}"
    with np.errstate(all="ignore"):
        size = np.abs(np.where(np.isfinite(before), before, 0)).max(initial=0.0)
        close = np.abs(before - after) <= allowed * (size + np.abs(before))
        same = close | (before == after) | (np.isnan(before) & np.isnan(after))
    if same.all():
        return None
    place = np.unravel_index(int(np.argmin(same)), before.shape) if before.shape else ()
    return f"{_at(place)}{before[place]:.9g} → {after[place]:.9g}"


def _at(place: Any) -> str:
    return f"[{', '.join(str(int(index)) for index in place)}] " if len(place) else ""


def _array(value: Value) -> Any:
    """The numbers, in a type wide enough to subtract them in."""
    assert value.data is not None
    if value.dtype == "bfloat16":  # the upper half of a float32
        halves = np.frombuffer(value.data, np.uint16).astype(np.uint32) << 16
        return halves.view(np.float32).reshape(value.shape).astype(np.float64)
    try:
        kind = np.dtype(value.dtype)
    except TypeError:  # smaller kinds of floating-point numbers
        import ml_dtypes

        kind = np.dtype(getattr(ml_dtypes, value.dtype))
    found = np.frombuffer(value.data, kind).reshape(value.shape)
    if found.dtype.kind == "c":
        return found.astype(np.complex128)
    return found.astype(np.float64) if "float" in value.dtype else found


def _summary_difference(was: Value, now: Value) -> str | None:
    allowed = tolerance(was.dtype)
    size = max((abs(number) for number in was.summary if math.isfinite(number)), default=0.0)
    for name, before, after in zip(
        ("sum", "sum of squares", "least", "greatest"), was.summary, now.summary, strict=True
    ):
        both_nan = math.isnan(before) and math.isnan(after)
        if before != after and not both_nan and not abs(before - after) <= max(allowed, 1e-12) * size:
            return f"{name} {before:.9g} → {after:.9g}"
    return None
