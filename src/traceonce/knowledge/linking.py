"""From a diagnosis to its records: what is known about each of its causes. Only records that are there are named."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from traceonce.facts import Cause, CauseCode, Diagnosis, Verdict
from traceonce.facts.graph_breaks import is_at_break

RECORDS = Path(__file__).parent / "records"
_TENSORFLOW = {
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
    CauseCode.CONTEXT: "retracing-strategy",
    CauseCode.COMPILE: "xla-recompiles-by-shape",
    CauseCode.STALE: "stale-capture",
    CauseCode.CONFUSED: "confused-literals",
}
_JAX = {
    CauseCode.SHAPE: "recompile-shape",
    CauseCode.RANK: "recompile-shape",
    CauseCode.DTYPE: "recompile-dtype-weak-type",
    CauseCode.WEAK_TYPE: "recompile-dtype-weak-type",
    CauseCode.STATIC_ARGUMENT: "recompile-static-value",
    CauseCode.KIND: "recompile-structure",
    CauseCode.STRUCTURE: "recompile-structure",
    CauseCode.NEW_FUNCTION: "recompile-fresh-function",
    CauseCode.NEW_INSTANCE: "recompile-fresh-function",
    CauseCode.CONTEXT: "recompile-config",
    CauseCode.SHARDING: "recompile-sharding",
    CauseCode.STALE: "stale-global",
}
_TORCH = {
    CauseCode.SHAPE: "recompile-shape",
    CauseCode.RANK: "recompile-rank",
    CauseCode.DTYPE: "recompile-dtype",
    CauseCode.VALUE: "recompile-python-value",
    CauseCode.STRUCTURE: "recompile-list-length",
    CauseCode.CONTEXT: "recompile-grad-mode",
    CauseCode.GUARD: "recompile-global",
    CauseCode.IDENTITY: "recompile-callable-argument",
    CauseCode.NEW_FUNCTION: "recompile-callable-argument",
    CauseCode.FELL_BACK: "recompile-limit",
}
_BY_QUALITY = {".stride()": "recompile-stride", ".requires_grad": "recompile-requires-grad"}
_CALLABLES = ("method", "function", "partial", "builtin_function_or_method")


def link_records(diagnoses: Iterable[Diagnosis]) -> list[Diagnosis]:
    """The diagnoses, each with the ids of the records that explain it, in the order of its causes."""
    return [msgspec.structs.replace(diagnosis, records=tuple(records_of(diagnosis))) for diagnosis in diagnoses]


def records_of(diagnosis: Diagnosis) -> list[str]:
    slugs = [slug for cause in diagnosis.causes if (slug := _slug(cause, diagnosis))]
    slugs += ["graph-break"] if diagnosis.graph_breaks else []
    return [id_ for slug in dict.fromkeys(slugs) if (id_ := f"{diagnosis.backend}/{slug}") in _there()]


@cache
def _there() -> frozenset[str]:
    """The ids of our records. No file is ever looked for by a name that a recording gives."""
    return frozenset(f"{path.parent.name}/{path.stem}" for path in RECORDS.glob("*/*.json"))


def _slug(cause: Cause, diagnosis: Diagnosis) -> str | None:
    slug_of = {"tensorflow": _of_tensorflow, "jax": _of_jax, "torch": _of_torch}.get(diagnosis.backend)
    return slug_of(cause, diagnosis) if slug_of is not None else None


def _of_jax(cause: Cause, diagnosis: Diagnosis) -> str | None:
    code = cause.code
    if code is CauseCode.STATIC_ARGUMENT and cause.was == cause.now:  # it prints the same, and is another object
        return "static-unequal-object"
    if code is CauseCode.NEW_FUNCTION and diagnosis.function.loop is not None:
        return "eager-scan-fresh-lambda"
    return _JAX.get(code)


def _of_torch(cause: Cause, diagnosis: Diagnosis) -> str | None:
    code, path = cause.code, cause.path
    if "._base" in path:  # of a view: the tensor that it looks into
        return "recompile-view"
    if code is CauseCode.SHAPE and {"0", "1"} & {cause.was, cause.now, *cause.values}:
        return "recompile-size-one"
    if code is CauseCode.FELL_BACK and diagnosis.fell_back is not None and diagnosis.fell_back.limit is None:
        return None  # no limit was reached
    if code is not CauseCode.GUARD:
        return _TORCH.get(code)
    if is_at_break(path):
        return "graph-break-item" if any("item()" in text for text in diagnosis.graph_breaks) else "graph-break"
    of_quality = next((slug for quality, slug in _BY_QUALITY.items() if quality in path), None)
    if of_quality is not None:
        return of_quality
    if path.endswith(".training"):
        return "recompile-training-flag"
    if path.startswith("self."):
        return "recompile-module-counter" if cause.type_name in ("int", "float") else None
    return _TORCH[code] if cause.type_name is not None else None  # what is read from outside has a value


def _of_tensorflow(cause: Cause, diagnosis: Diagnosis) -> str | None:
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
    if code in (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE) and diagnosis.function.is_of_keras:
        return "retracing-new-model"
    if code is CauseCode.CONFUSED and cause.path.rpartition(".")[2] == "training":
        return "confused-training-flag"
    return _TENSORFLOW.get(code)
