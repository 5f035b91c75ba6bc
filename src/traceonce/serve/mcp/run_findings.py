"""From a recording and its diagnoses to what `recording_findings` says of the run."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import msgspec

from traceonce.causes import CATALOGUE
from traceonce.facts import Breach, Cause, Diagnosis, Recording
from traceonce.facts.attention import changed_since, sort_by_attention
from traceonce.facts.error_text import main_line
from traceonce.report.sentences import (
    compilations,
    describe_cause,
    describe_eager_calls,
    describe_falling_back,
    describe_reached,
    describe_reason,
    describe_remedy,
    describe_values,
    fixes_to_show,
)
from traceonce.report.text import report_lines
from traceonce.serve.function_lookup import choose
from traceonce.serve.mcp.bounds import Bounds, cut
from traceonce.serve.mcp.contract import CauseFound, FellBackFound, FixInShort, FunctionFound, RunFound
from traceonce.serve.mcp.fix_findings import proving_command, status_of, traces_after

_TEXTS = {"values": 80, "snippet": 3_000, "name": 200}
_RUN = {"command": 30, "notices": 5}
_ALL_FUNCTIONS = Bounds(
    {**_RUN, "functions": 20, "causes": 6, "values": 16, "call_sites": 3}
    | {"graph_breaks": 3, "fixes": 2, "notes": 3, "records": 5},
    _TEXTS,
    "functions",
)
_ONE_FUNCTION = Bounds(
    {**_RUN, "functions": 5, "causes": 40, "values": 40, "call_sites": 20}
    | {"graph_breaks": 20, "fixes": 5, "notes": 10, "records": 20},
    _TEXTS,
    "functions",
)


def describe_run(
    name: str, recording: Recording, diagnoses: Sequence[Diagnosis], function: str | None = None
) -> RunFound:
    """All functions of a run, worst first; or the named one, in more detail."""
    chosen = choose(diagnoses, function) if function is not None else diagnoses
    attention = sort_by_attention(recording, diagnoses)
    named = {diagnosis.function.key: diagnosis for diagnosis in attention.named}
    shown = {diagnosis.function.key for diagnosis in chosen}
    limits = _limits(recording)
    found = RunFound(
        recording=name,
        headline=next(iter(report_lines(recording, diagnoses))).plain.removeprefix("traceonce  "),
        command=list(recording.command),
        exit_code=recording.exit_code,
        seconds=round(recording.seconds, 3),
        started=_when(recording.started),
        environment=recording.environment,
        error=main_line(recording.error) if recording.error else None,
        functions=[
            _describe_function(diagnosis, diagnosis.function.key not in named, limits.get(diagnosis.function.key, []))
            for diagnosis in chosen
        ],
        next_step=_next_step(recording, chosen, [named[key] for key in named if key in shown]),
        notices=[notice.text for notice in recording.notices if not notice.hook],
        left_out=[],
    )
    bounds = _ALL_FUNCTIONS if function is None else _ONE_FUNCTION
    return msgspec.convert(cut(msgspec.to_builtins(found), bounds), RunFound)


def _describe_function(diagnosis: Diagnosis, ignorable: bool, limits: list[str]) -> FunctionFound:
    function = diagnosis.function
    return FunctionFound(
        framework=diagnosis.backend,
        name=function.name,
        file=function.file,
        line=function.line,
        verdict=diagnosis.verdict,
        costly=diagnosis.costly,
        ignorable=ignorable,
        reason=describe_reason(diagnosis),
        traces=diagnosis.traces,
        retraces=diagnosis.retraces,
        calls=diagnosis.calls,
        calls_at_least=diagnosis.calls_at_least,
        compiles=diagnosis.compiles,
        failed=diagnosis.failed,
        lost_seconds=round(diagnosis.lost_seconds, 4),
        unclear_seconds=round(diagnosis.unclear_seconds, 4),
        share=round(diagnosis.share, 4) if diagnosis.share is not None else None,
        kept_bytes=diagnosis.bytes if diagnosis.retraces else None,
        fell_back=_describe_falling_back(diagnosis) if diagnosis.fell_back is not None else None,
        graph_breaks=list(diagnosis.graph_breaks),
        causes=[_describe_cause(cause, diagnosis) for cause in diagnosis.causes],
        call_sites=list(diagnosis.call_sites),
        fixes=[
            FixInShort(
                recipe=fix.recipe,
                status=status_of(fix),
                safety=fix.safety,
                snippet=fix.snippet,
                traces_after=traces_after(fix),
            )
            for fix in fixes_to_show(diagnosis)
        ],
        records=list(diagnosis.records),
        notes=[*limits, *diagnosis.notes],
    )


def _describe_falling_back(diagnosis: Diagnosis) -> FellBackFound:
    fell_back = diagnosis.fell_back
    assert fell_back is not None
    return FellBackFound(
        what=f"{describe_falling_back(diagnosis)}; {describe_eager_calls(fell_back)}",
        compilations=compilations(diagnosis),
        file=fell_back.call_site.file if fell_back.call_site is not None else None,
        line=fell_back.call_site.line if fell_back.call_site is not None else None,
        compiled_seconds=fell_back.compiled_seconds,
        eager_seconds=fell_back.eager_seconds,
    )


def _describe_cause(cause: Cause, diagnosis: Diagnosis) -> CauseFound:
    what = describe_cause(cause, diagnosis.traces, diagnosis.backend)
    is_object = CATALOGUE[cause.code].tells_of_objects
    return CauseFound(
        path=cause.path,
        code=cause.code,
        what=f"{what}, {describe_values(cause)}" if is_object else what,
        count=cause.count,
        was=cause.was,
        now=cause.now,
        values=[] if is_object else list(cause.values),
        evidence=cause.evidence,
        remedy=describe_remedy(cause, diagnosis),
    )


def _limits(recording: Recording) -> dict[str, list[str]]:
    """In words, by function: the limits that were reached, and what the program got."""
    breaches: dict[str, list[Breach]] = {}
    for breach in recording.breaches:
        breaches.setdefault(breach.function.key, []).append(breach)
    return {
        key: [f"it has reached its limit of {reached}" for reached in describe_reached(own)]
        for key, own in breaches.items()
    }


def _next_step(recording: Recording, diagnoses: Sequence[Diagnosis], acute: Sequence[Diagnosis]) -> str:
    if not acute:
        changed = [f"{cause.path} in {d.function.name[:200]}" for d, cause in changed_since(diagnoses)]
        if changed:
            return (
                "Nothing is traced too often. Check whether a call followed the change of these values, since it "
                f"would use the old ones: {', '.join(changed[:5])}."
            )
        return "Nothing here needs a change."
    name = acute[0].function.name[:200]
    if any(status_of(fix) == "proved" for fix in acute[0].fixes):
        return f"Call propose_fix for {name!r}: it has a proved change, with a diff."
    command = proving_command(recording, name)
    return f"Call propose_fix for {name!r}." + (f" To try changes and prove them: {command}" if command else "")


def _when(seconds: float) -> str:
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return "unknown"
