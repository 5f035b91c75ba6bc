"""What is said of causes, places and fixes: what happened, where, and what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from traceonce.causes import CATALOGUE
from traceonce.causes.cause_text import say_reason, say_remedy, say_what
from traceonce.causes.definition import Happened
from traceonce.facts import (
    Breach,
    CallSite,
    Cause,
    CauseCode,
    Diagnosis,
    FellBack,
    Fix,
    FunctionId,
    Proof,
    Safety,
    SiteCount,
    Verdict,
)
from traceonce.facts.command_line import fix_words, suggested
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of
from traceonce.frameworks.base.registry import dialect_of, framework_of
from traceonce.words.backticks import plain
from traceonce.words.notes import fix_notes, proof_reason
from traceonce.words.translated import Language

# What a person should do with a fix of this kind.
SAFETY: dict[Safety, str] = {
    "safe": "",
    "review": "please review",
    "narrow": "narrow: unseen inputs now raise instead of retracing",
    "advice": "advice, for you to decide",
}
WIDER = "wider, also proved (--wide uses it)"
BREAKS = 3  # places of graph breaks that are named
WORTH_SAYING = 1.2  # times as long: less is within what two measurements of one thing differ by


def describe_cause(cause: Cause, traces: int, backend: str) -> str:
    """What happened at this place, in a few words."""
    return say_what(Happened(cause, backend, traces=traces), "en")


def describe_change(cause: Cause) -> str:
    """The place, now and before."""
    before = f", before {cause.was}" if cause.was else ""
    return f"{cause.path}: now {cause.now}{before}"


def describe_place(function: FunctionId, backend: str, made_at: CallSite | SiteCount | None = None) -> str:
    """Where a function was compiled, and where it was written. Texts are matched by these words."""
    line = f":{function.line}" if function.line else ""
    place = f"{package_path(function.file)}{line}" if function.file else "no source"
    made_by = framework_of(backend).made_by(function)
    if made_at is None or (made_at.file, made_at.line) == (function.file, function.line):
        return f"{made_by} at {place}" if made_by else place
    made = describe_site(made_at)
    return f"{made_by} at {made}, defined at {place}" if made_by else f"{place}, made at {made}"


def describe_name(diagnosis: Diagnosis) -> str:
    """What the user calls it, of what a library made."""
    function = diagnosis.function
    return f"{diagnosis.known_as} · {function.name}" if function.library and diagnosis.known_as else function.name


def describe_site(site: CallSite | SiteCount) -> str:
    """Where it was called, and through which line of a library."""
    via = f" through {package_path(site.via)}" if site.via else ""
    return f"{package_path(site.file)}:{site.line}{via}"


def describe_remedy(cause: Cause, diagnosis: Diagnosis) -> str:
    """What to change, in one line; for a function inside a library, what its caller can do."""
    return say_remedy(befallen(cause, diagnosis), "en")


def befallen(cause: Cause, diagnosis: Diagnosis) -> Happened:
    """A cause, with what is known of its function."""
    return Happened(
        cause,
        diagnosis.backend,
        diagnosis.function,
        diagnosis.traces,
        reduce_retracing=diagnosis.reduce_retracing,
        failed=diagnosis.verdict is Verdict.FAILED,
    )


def describe_reason(diagnosis: Diagnosis) -> str:
    """Why the verdict is what it is."""
    return say_reason(diagnosis.reason, diagnosis.backend, "en")


def in_calls(calls: int | None, at_least: bool) -> str:
    """` in 8 calls`; nothing where they are not counted."""
    return f" in {'at least ' if at_least else ''}{count_of(calls, 'call')}" if calls else ""


def describe_traces(diagnosis: Diagnosis) -> str:
    """`retraced 7 times in 8 calls`; of one that fell back or is compiled anew, that."""
    calls = in_calls(diagnosis.calls, diagnosis.calls_at_least)
    if diagnosis.verdict is Verdict.FELL_BACK:
        return describe_falling_back(diagnosis)
    dialect = dialect_of(diagnosis.backend)
    if diagnosis.verdict is Verdict.RECOMPILING:
        traces = count_of(diagnosis.traces, dialect.trace.en)
        return f"{dialect.compiled.en} {count_of(diagnosis.compiles, 'time')} under {traces}{calls}"
    return f"{dialect.retraced.en} {count_of(diagnosis.retraces, 'time')}{calls}"


def describe_verdict(verdict: Verdict) -> str:
    """What a function is, or has done: `is retracing`"""
    return "has fallen back" if verdict is Verdict.FELL_BACK else f"is {verdict.value}"


def describe_falling_back(diagnosis: Diagnosis) -> str:
    return f"fell back to plain Python after {count_of(compilations(diagnosis), 'compilation')}"


def compilations(diagnosis: Diagnosis) -> int:
    """How often it was compiled before the framework gave up."""
    fell_back = diagnosis.fell_back
    return fell_back.limit if fell_back is not None and fell_back.limit is not None else diagnosis.traces


def compilations_watched_with(diagnosis: Diagnosis) -> str | None:
    """The option with which its compilations would have been watched; None where they were, or where there are none."""
    return (
        dialect_of(diagnosis.backend).watched_with or None if diagnosis.jit_compile and not diagnosis.compiles else None
    )


def describe_eager_calls(fell_back: FellBack) -> str:
    """From which call on it is no longer compiled, and what a call costs then."""
    site = fell_back.call_site
    parts = [f"from the call at {describe_site(site)} on" if site is not None else ""]
    compiled, eager = fell_back.compiled_seconds, fell_back.eager_seconds
    if compiled is not None and eager is not None:
        parts.append(f"a call took {call_time(compiled)} compiled, and takes {call_time(eager)} now")
        ratio = times_as_long(compiled, eager)
        if ratio is not None:
            parts[-1] += f", {ratio:,.1f} times as long" if eager > compiled else f": {ratio:,.1f} times as fast"
    elif eager is not None:
        parts.append(f"a call that was not compiled took {call_time(eager)}")
    elif compiled is not None:
        parts.append(f"a call took {call_time(compiled)} compiled")
    return "; ".join(filter(None, parts)) or "the time per call since then was not measured"


def times_as_long(one: float, other: float) -> float | None:
    """How many times as long the longer of two calls took; None where that is too little to speak of."""
    shorter, longer = sorted((one, other))
    ratio = longer / shorter if shorter > 0 else 1.0
    return ratio if ratio >= WORTH_SAYING else None


def call_time(seconds: float) -> str:
    """A duration that may be short."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def describe_breaks(graph_breaks: Sequence[str]) -> str:
    """How often a function was cut into several graphs, and where first."""
    shown = "; ".join(graph_breaks[:BREAKS])
    more = f"; … {len(graph_breaks) - BREAKS:,} more" if len(graph_breaks) > BREAKS else ""
    return f"{count_of(len(graph_breaks), 'graph break')}: {shown}{more}"


def fixes_to_show(diagnosis: Diagnosis) -> list[Fix]:
    """Those that have something to show, be it in words; where nothing needs to be changed, none has."""
    return [fix for fix in diagnosis.fixes if fix.snippet or (fix.safety == "advice" and not _leaves_it(fix))]


def is_last_resort(fix: Fix) -> bool:
    """Does it treat no cause, or would somebody else have to act on it?"""
    return not fix.causes or fix.is_report


def _leaves_it(fix: Fix) -> bool:
    return fix.recipe == "leave_it" or not (fix.coded_notes or fix.note)


def lines_to_show(fix: Fix) -> list[str]:
    """Its code, line by line, for a terminal or a log, else what it says; a report for somebody else is only named."""
    if fix.is_report:
        return ["send its maintainers a report: traceonce report --latest --format markdown shows it"]
    if not fix.snippet:
        return list(map(plain, fix_notes(fix, "en")))
    return [line for line in fix.snippet.expandtabs(4).split("\n") if line.strip()]


def causes_left(diagnosis: Diagnosis) -> list[Cause]:
    """The causes that no fix treats, and whose usual remedy was not run in vain.

    A fix that leaves one trace has treated all, also those that it does not name.
    """
    tried = [fix for fix in fixes_to_show(diagnosis) if fix.proof is None or fix.proof.verdict == "proved"]
    fixes = [fix for fix in tried if not is_last_resort(fix)]
    if any(left is not None and left <= 1 for left in map(_traces_left, fixes)):
        return []
    treated = {code for fix in fixes for code in fix.causes}
    if treated:  # it fell back for what they treat
        treated.add(CauseCode.FELL_BACK)
    return [cause for cause in diagnosis.causes if cause.code not in (*treated, *diagnosis.dealt_with)]


def _traces_left(fix: Fix) -> int | None:
    return fix.predicted_traces if fix.proof is None else fix.proof.after.traces


def describe_fix(fix: Fix, diagnosis: Diagnosis, command: str | None, *, marked: bool = False) -> Iterator[str]:
    """What is known of a fix, after its snippet: its traces, what was proved, and what to know before it is used.

    `command` is the one of ours that could try it on the program; None where there is none. `marked`: code in the notes
    stands between backticks.
    """
    if fix.proof is not None:
        yield _describe_proof(fix.proof, dialect_of(diagnosis.backend).trace.en)
    else:
        yield _describe_prediction(fix, diagnosis, command)
    yield from what_to_know(fix, "en", SAFETY[fix.safety], ": ", WIDER, marked=marked)


def what_to_know(fix: Fix, language: Language, safety: str, colon: str, wider: str, *, marked: bool) -> Iterator[str]:
    """What to know of a fix before it is used, where it was not refuted, with the words of a language."""
    if fix.proof is not None and fix.proof.verdict != "proved":
        return
    notes = ("" if language == "zh" else " ").join(fix_notes(fix, language))
    said = colon.join(filter(None, [safety, notes if marked else plain(notes)]))
    if said:
        yield said
    if fix.wider:
        yield f"{wider}{colon}{fix.wider}"


def _describe_prediction(fix: Fix, diagnosis: Diagnosis, command: str | None) -> str:
    way = "not run"
    if command is not None and fix.safety != "advice":
        way += f": {command} tries and proves it"
    if fix.predicted_traces is None or fix.predicted_traces >= diagnosis.traces:
        return way
    traces = count_of(diagnosis.traces, dialect_of(diagnosis.backend).trace.en)
    return f"{traces} → {fix.predicted_traces:,} (predicted, {way})"


def _describe_proof(proof: Proof, noun: str) -> str:
    if proof.verdict != "proved":
        return f"{'refuted' if proof.verdict == 'refuted' else 'not proved'}: {proof_reason(proof, 'en')}"
    compared = count_of(proof.compared if proof.compared is not None else proof.after.calls, "call")
    parts = [f"{count_of(proof.before.traces, noun)} → {proof.after.traces:,}"]
    if proof.outputs_equal:
        eagerly = " as in an eager run" if proof.measure == "eager" else ""
        parts.append(f"same outputs on {compared}{eagerly}" if proof.compared != 0 else ("same outputs of its callers"))
    if proof.speedup is not None and proof.speedup >= 1.05:
        parts.append(f"{proof.speedup:.1f}× faster")
    return f"{', '.join(parts)} (proved)"


def describe_reached(breaches: Iterable[Breach]) -> Iterator[str]:
    """The limits that a function has reached, and what the program got: `3 retraces; 2 calls refused`."""
    counts = Counter((breach.limit.describe(), breach.refused) for breach in breaches)
    for (limit, refused), count in counts.items():
        yield f"{limit}; {count_of(count, 'call')} refused" if refused else f"{limit}; the program went on"


def fix_command(command: Sequence[str]) -> str | None:
    """What looks for a repair of the program that was run so; None for a notebook, which no command of ours takes."""
    if any("ipykernel" in word or word.startswith("%%traceonce") for word in command[:3]):
        return None
    words = fix_words(command)
    return (suggested(words) if words is not None else None) or "traceonce fix SCRIPT"


def describe_values(cause: Cause) -> str:
    """The values seen, in order, or how often there was another."""
    values = listed_values(cause)
    if values is not None:
        return values
    return "once" if cause.count == 1 else f"{cause.count} times"


def listed_values(cause: Cause) -> str | None:
    """The values seen, in order; None where it is only known how many there were."""
    way = CATALOGUE[cause.code].values
    if way == "counted":
        return None
    if way == "named":
        names = [value for value in dict.fromkeys(cause.values) if not value.endswith(" object")]
        return ", ".join(names) or None
    if way == "note":
        return cause.note or ""
    return "" if way == "none" else (", " if way == "as_a_set" else " → ").join(cause.values)
