"""Which record explains a cause of this framework's functions; by its slug."""

from __future__ import annotations

from traceonce.facts import Cause, CauseCode, Diagnosis
from traceonce.facts.stack_names import is_at_break

_BY_CODE = {
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


def record_of(cause: Cause, diagnosis: Diagnosis) -> str | None:
    code, path = cause.code, cause.path
    if "._base" in path:  # of a view: the tensor that it looks into
        return "recompile-view"
    if code is CauseCode.SHAPE and {"0", "1"} & {cause.was, cause.now, *cause.values}:
        return "recompile-size-one"
    if code is CauseCode.FELL_BACK and diagnosis.fell_back is not None and diagnosis.fell_back.limit is None:
        return None  # no limit was reached
    if code is not CauseCode.GUARD:
        return _BY_CODE.get(code)
    if is_at_break(path):
        return "graph-break-item" if any("item()" in text for text in diagnosis.graph_breaks) else "graph-break"
    of_quality = next((slug for quality, slug in _BY_QUALITY.items() if quality in path), None)
    if of_quality is not None:
        return of_quality
    if path.endswith(".training"):
        return "recompile-training-flag"
    if path.startswith("self."):
        return "recompile-module-counter" if cause.type_name in ("int", "float") else None
    return _BY_CODE[code] if cause.type_name is not None else None  # what is read from outside has a value
