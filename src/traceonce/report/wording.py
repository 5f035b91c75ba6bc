"""Words for causes and places: what happened, where, and what to change. Every remedy here has been run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from traceonce.facts import (
    Breach,
    CallSite,
    Cause,
    CauseCode,
    Diagnosis,
    Fix,
    FunctionId,
    Proof,
    Safety,
    SiteCount,
    Verdict,
)
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of


class Words(NamedTuple):
    """What happened, in a few words, and what to change."""

    what: str
    remedy: str


WORDS: dict[CauseCode, Words] = {
    CauseCode.SHAPE: Words("varies", "give the dimension as None in an input_signature, or set reduce_retracing=True"),
    CauseCode.RANK: Words("changes its rank", "reshape to one rank before the call"),
    CauseCode.DTYPE: Words("changes its dtype", "cast to one dtype before the call"),
    CauseCode.VALUE: Words("a Python {type}", "pass a tensor, if the function needs no Python value"),
    CauseCode.KIND: Words("changes its kind", "pass the same kind of thing in every call"),
    CauseCode.STRUCTURE: Words(
        "changes its structure", "keep one structure: the same keys, the same length, list or tuple"
    ),
    CauseCode.SPEC: Words("changes in its type specification", "keep this field of the type the same in every call"),
    CauseCode.IDENTITY: Words(
        "another {type} object",
        "pass the same object; if it holds settings only, __eq__ and __hash__ in its class will do, too",
    ),
    CauseCode.COLLECTED: Words(
        "a {type} object; the earlier one is gone", "keep one object alive and pass it in every call"
    ),
    CauseCode.UNEQUAL: Words("its type never equals itself", "let __eq__ of that class compare contents"),
    CauseCode.ALIASING: Words(
        "is, or is not, the same variable as another argument", "pass the same pattern of variables"
    ),
    CauseCode.NEW_FUNCTION: Words(
        "the same code, wrapped by tf.function again", "make the tf.function once, outside the loop or the call"
    ),
    CauseCode.NEW_INSTANCE: Words("the method of another object", "reuse one object"),
    CauseCode.VARIABLE_CREATION: Words("variables were created on the first call", "nothing: this happens once"),
    CauseCode.CONTEXT: Words("the surroundings of the call changed", "call it in the same surroundings"),
    CauseCode.COMPILE: Words("XLA compiled again", "pad to a few fixed shapes; XLA compiles for every new one"),
    CauseCode.BACKWARD: Words("a backward graph was built", "nothing: this happens once per trace"),
    CauseCode.STALE: Words(
        "read when traced, and changed since: the trace has the old value",
        "pass it as an argument, or keep it in a tf.Variable",
    ),
    CauseCode.CONFUSED: Words(
        "an equal number of another type was served by the same trace", "pass one type in every call"
    ),
    CauseCode.UNKNOWN: Words("the cause is not known", "please report this with the recording"),
}


# What a person should do with a fix of this kind.
SAFETY: dict[Safety, str] = {
    "safe": "",
    "review": "please review",
    "narrow": "narrow: what was not seen now raises instead of tracing",
    "advice": "advice, for you to decide",
}


def describe_cause(cause: Cause, traces: int) -> str:
    """What happened at this place, in a few words."""
    words = WORDS[cause.code].what.format(type=cause.type_name or "Python")
    if cause.code in (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE) and cause.note:
        words += f", with another {cause.note}"
    if cause.step:
        return f"grows by {cause.step} each time"
    if cause.is_partial_batch:
        return "is smaller once, as in a last, partial batch"
    if cause.code in (CauseCode.VALUE, CauseCode.SHAPE) and cause.count >= 3 and cause.count >= traces - 1:
        words += ", a new value each time" if cause.code is CauseCode.VALUE else " in every trace"
    if cause.evidence == "inferred" and cause.code is CauseCode.STALE:
        words += f" ({cause.note})" if cause.note else " (inferred: it was not shown to reach the graph)"
    return words


def describe_change(cause: Cause) -> str:
    """The place, now and before."""
    before = f", before {cause.was}" if cause.was else ""
    return f"{cause.path}: now {cause.now}{before}"


def describe_place(function: FunctionId) -> str:
    """Where a function was written."""
    line = f":{function.line}" if function.line else ""
    return f"{package_path(function.file)}{line}" if function.file else "no source"


def describe_site(site: CallSite | SiteCount) -> str:
    """Where it was called, and through which line of a library."""
    via = f" through {package_path(site.via)}" if site.via else ""
    return f"{package_path(site.file)}:{site.line}{via}"


def describe_remedy(cause: Cause, diagnosis: Diagnosis) -> str:
    """What to change, in one line; for a function inside a library, what its caller can do."""
    if cause.code is CauseCode.VARIABLE_CREATION and diagnosis.verdict is Verdict.FAILED:
        return "create the variable once: before the call, or in the first one only"
    return remedy_of(cause, diagnosis.function, reduce_retracing=diagnosis.reduce_retracing)


def remedy_of(cause: Cause, function: FunctionId, *, reduce_retracing: bool) -> str:
    """What to change, from the cause and what is known of the function."""
    if cause.code is CauseCode.SHAPE and function.library:
        return "give the library one size: pad, or drop the last, partial batch (drop_remainder=True)"
    if cause.code is CauseCode.SHAPE and reduce_retracing:
        return "give the dimension as None in an input_signature"
    if cause.code in (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE):
        if cause.note:
            once = "make it once" if cause.code is CauseCode.NEW_FUNCTION else "reuse one object"
            return f"{once}, and pass as an argument what differs: {cause.note}"
        if function.name.endswith("[dataset]"):
            return "each dataset traces its function anew: build it once where it is the same"
        if function.library and "keras" in (function.file or ""):
            return "each model traces its steps anew: keep one, and put its variables and its optimizer's back"
        if function.library:
            return "keep and reuse what the library made it for, or call the library inside one tf.function of your own"
    return WORDS[cause.code].remedy


def fixes_to_show(diagnosis: Diagnosis) -> list[Fix]:
    """Those that have something to show: where nothing needs to be changed, none has."""
    return [fix for fix in diagnosis.fixes if fix.snippet]


def causes_left(diagnosis: Diagnosis) -> list[Cause]:
    """The causes that no fix treats. A fix that leaves one trace has treated all, also those that it does not name."""
    tried = [fix for fix in fixes_to_show(diagnosis) if fix.proof is None or fix.proof.verdict == "proved"]
    fixes = [fix for fix in tried if fix.causes]
    if any(fix.predicted_traces is not None and fix.predicted_traces <= 1 for fix in fixes):
        return []
    treated = {code for fix in fixes for code in fix.causes}
    return [cause for cause in diagnosis.causes if cause.code not in treated]


def describe_fix(fix: Fix, diagnosis: Diagnosis, script: str | None) -> Iterator[str]:
    """What is known of a fix, after its snippet: its traces, what was proved, and what to know before it is used.

    `script` is the program that another command of ours could try it on; None where there is none.
    """
    yield _describe_proof(fix.proof) if fix.proof is not None else _describe_prediction(fix, diagnosis, script)
    if fix.proof is not None and fix.proof.verdict != "proved":
        return
    words = SAFETY[fix.safety]
    if words or fix.note:
        yield ": ".join(filter(None, [words, fix.note]))
    if fix.wider:
        yield f"wider, proved as well (--wide takes it): {fix.wider}"


def _describe_prediction(fix: Fix, diagnosis: Diagnosis, script: str | None) -> str:
    way = "not run"
    if script is not None and fix.safety != "advice":
        way += f": traceonce fix {script} tries and proves it"
    if fix.predicted_traces is None or fix.predicted_traces >= diagnosis.traces:
        return way
    return f"{count_of(diagnosis.traces, 'trace')} → {fix.predicted_traces:,} (predicted, {way})"


def _describe_proof(proof: Proof) -> str:
    if proof.verdict != "proved":
        return f"{'refuted' if proof.verdict == 'refuted' else 'not proved'}: {proof.reason}"
    compared = count_of(proof.compared if proof.compared is not None else proof.after.calls, "call")
    parts = [f"{count_of(proof.before.traces, 'trace')} → {proof.after.traces:,}"]
    if proof.outputs_equal:
        eagerly = " as when run eagerly" if proof.measure == "eager" else ""
        parts.append(f"same outputs on {compared}{eagerly}" if proof.compared != 0 else "same outputs of what calls it")
    if proof.speedup is not None and proof.speedup >= 1.05:
        parts.append(f"{proof.speedup:.1f}× faster")
    return f"{', '.join(parts)} (proved)"


def describe_reached(breaches: Iterable[Breach]) -> Iterator[str]:
    """The limits that a function has reached, and what the program got: `3 retraces; 2 calls refused`."""
    counts = Counter((breach.limit.describe(), breach.refused) for breach in breaches)
    for (limit, refused), count in counts.items():
        yield f"{limit}; {count_of(count, 'call')} refused" if refused else f"{limit}; the program went on"


def script_of(command: Sequence[str]) -> str | None:
    """The program to give to another command of ours; None for a notebook, which none of them takes."""
    if any("ipykernel" in word or word.startswith("%%traceonce") for word in command[:3]):
        return None
    return command[0] if command and command[0].endswith(".py") else "SCRIPT"


def describe_values(cause: Cause) -> str:
    """The values seen, in order."""
    if cause.code in (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE):
        return "once" if cause.count == 1 else f"{cause.count} times"
    if cause.code is CauseCode.UNEQUAL:
        return cause.note or ""
    if cause.code in (CauseCode.IDENTITY, CauseCode.COLLECTED):
        names = [value for value in dict.fromkeys(cause.values) if not value.endswith(" object")]
        return ", ".join(names) if names else f"{cause.count} times"
    arrow = " → " if cause.code is not CauseCode.SHAPE else ", "
    return arrow.join(cause.values)
