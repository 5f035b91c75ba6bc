"""Which record explains a cause of this framework's functions; by its slug."""

from __future__ import annotations

from traceonce.facts import Cause, CauseCode, Diagnosis

_BY_CODE = {
    CauseCode.SHAPE: "recompile-shape",
    CauseCode.RANK: "recompile-shape",
    CauseCode.DTYPE: "recompile-dtype-weak-type",
    CauseCode.WEAK_TYPE: "recompile-dtype-weak-type",
    CauseCode.STATIC_ARGUMENT: "recompile-static-value",
    CauseCode.KIND: "recompile-structure",
    CauseCode.STRUCTURE: "recompile-structure",
    CauseCode.NEW_FUNCTION: "recompile-fresh-function",
    CauseCode.NEW_INSTANCE: "recompile-fresh-function",
    CauseCode.CAPTURED: "recompile-fresh-function",
    CauseCode.CONTEXT: "recompile-config",
    CauseCode.SHARDING: "recompile-sharding",
    CauseCode.STALE: "stale-global",
}


def record_of(cause: Cause, diagnosis: Diagnosis) -> str | None:
    code = cause.code
    if code is CauseCode.STATIC_ARGUMENT and cause.was == cause.now:  # it prints the same, and is another object
        return "static-unequal-object"
    if code is CauseCode.NEW_FUNCTION and diagnosis.function.loop is not None:
        return "eager-scan-fresh-lambda"
    return _BY_CODE.get(code)
