"""Which record explains a cause of this framework's functions; by its slug."""

from __future__ import annotations

from traceonce.facts import Cause, CauseCode, Diagnosis, Verdict

_BY_CODE = {
    CauseCode.SHAPE: "retracing-shape",
    CauseCode.RANK: "retracing-rank",
    CauseCode.DTYPE: "retracing-dtype",
    CauseCode.VALUE: "retracing-python-number",
    CauseCode.KIND: "retracing-none",
    CauseCode.STRUCTURE: "retracing-structure",
    CauseCode.SPEC: "retracing-ragged-rows",
    CauseCode.IDENTITY: "retracing-object-identity",
    CauseCode.COLLECTED: "retracing-collected-object",
    CauseCode.UNEQUAL: "retracing-unequal-type",
    CauseCode.ALIASING: "retracing-aliasing",
    CauseCode.NEW_FUNCTION: "retracing-new-function",
    CauseCode.NEW_INSTANCE: "retracing-new-instance",
    CauseCode.CAPTURED: "retracing-new-function",
    CauseCode.CONTEXT: "retracing-strategy",
    CauseCode.COMPILE: "xla-recompiles-by-shape",
    CauseCode.STALE: "stale-capture",
    CauseCode.CONFUSED: "confused-literals",
    CauseCode.SIDE_EFFECT: "side-effects-run-once",
}
KERAS = frozenset({"keras", "tf_keras"})
_CALLABLES = ("method", "function", "partial", "builtin_function_or_method")


def record_of(cause: Cause, diagnosis: Diagnosis) -> str | None:
    code, kind = cause.code, cause.type_name or ""
    if code is CauseCode.VARIABLE_CREATION and diagnosis.verdict is Verdict.FAILED:
        return "variable-created-later"
    if cause.step:
        return "retracing-growing-decode"
    if cause.is_partial_batch:
        return "retracing-partial-batch"
    if code is CauseCode.VALUE and kind in ("str", "bytes", "str_"):
        return "retracing-python-string"
    if code is CauseCode.VALUE and kind == "bool":
        return "retracing-python-bool"
    if code is CauseCode.SPEC and (".shape[" not in cause.path or kind != "RaggedTensorSpec"):
        return None
    if code is CauseCode.KIND and "None" not in (cause.was, cause.now):
        return None
    if code in (CauseCode.COLLECTED, CauseCode.IDENTITY) and kind in _CALLABLES:
        return "retracing-callable-argument"
    if code in (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE) and diagnosis.function.package in KERAS:
        return "retracing-new-model"
    if code is CauseCode.CONFUSED and cause.path.rpartition(".")[2] == "training":
        return "confused-training-flag"
    return _BY_CODE.get(code)
