"""A recording in, a diagnosis per function out, worst first."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from traceonce.explain.compiling import explain_compilations
from traceonce.explain.covering import Covering, cover
from traceonce.explain.history import Explained, History
from traceonce.explain.verdicts import judge
from traceonce.facts import (
    CallSite,
    Cause,
    CauseCode,
    Diagnosis,
    Finding,
    Recording,
    SiteCount,
    TraceEvent,
    Verdict,
)

VALUES = 12  # distinct values kept per cause
_ORDER = list(Verdict)
Key: TypeAlias = tuple[str, str]


def diagnose(recording: Recording) -> list[Diagnosis]:
    """What every traced function of a run did, and whether it matters; the worst comes first."""
    explained = explain_events(recording)
    groups: dict[Key, list[Explained]] = {}
    for item in explained:
        groups.setdefault((item.event.backend, item.event.function.key), []).append(item)
    findings: dict[Key, list[Finding]] = {}
    for finding in recording.findings:
        findings.setdefault((finding.backend, finding.function.key), []).append(finding)
    diagnoses = [
        _diagnose_function(group, findings.get(key, []), recording)
        for key, group in groups.items()
        if any(not _is_internal(item) for item in group)
    ]
    return sorted(diagnoses, key=_badness)


def _is_internal(item: Explained) -> bool:
    return item.event.phase == "internal"


def _badness(diagnosis: Diagnosis) -> tuple[int, float, float]:
    acute = diagnosis.verdict in (Verdict.RETRACING, Verdict.RECOMPILING, Verdict.FAILED)
    return (0 if acute else _ORDER.index(diagnosis.verdict), -diagnosis.lost_seconds, -diagnosis.seconds)


def explain_events(recording: Recording) -> list[Explained]:
    """Every event of a recording with its causes. Each process has its own history; a forked one inherits."""
    histories: dict[tuple[str, str, str], History] = {}
    explained: list[Explained] = []
    for event in recording.events:
        if event.kind != "trace":
            explained.append(Explained(event, ()))
            continue
        key = (event.process, event.backend, event.function.key)
        if key not in histories:
            histories[key] = _inherit(recording, event)
        explained.append(histories[key].explain(event))
    return explained


def _inherit(recording: Recording, first: TraceEvent) -> History:
    """An empty history, or, in a forked process, that of its parent up to now."""
    history = History()
    ancestors = set()
    parent = recording.forks.get(first.process)
    while parent is not None and parent not in ancestors:
        ancestors.add(parent)
        parent = recording.forks.get(parent)
    for event in recording.events:
        same = event.process in ancestors and event.function == first.function and event.kind == "trace"
        if same and event.start < first.start:
            history.explain(event)
    return history


def _diagnose_function(group: list[Explained], findings: list[Finding], recording: Recording) -> Diagnosis:
    mine = [item for item in group if item.event.kind == "trace" and not _is_internal(item)]
    done = [item for item in mine if item.event.phase != "failed"]
    retraces = [item for item in done if item.event.phase == "retrace"]
    failed = [item for item in mine if item.event.phase == "failed"]
    compilations = [item.event for item in group if item.event.kind == "compile"]
    function = group[-1].event.function
    counted = [counts[function.key] for counts in recording.calls.values() if function.key in counts]
    calls = sum(counted) if counted else None
    lost = sum(_lost_seconds([item.event for item in retraces], [item.event for item in group]))
    lost += sum(event.seconds or 0.0 for event in compilations if event.phase == "retrace")
    lost += sum(item.event.exclusive_seconds or 0.0 for item in failed if item.causes)
    share = lost / recording.seconds if recording.seconds > 0 else None
    recompilations = explain_compilations(compilations)
    silent = [finding.cause for finding in findings]
    judgements = [
        judge(
            retrace_causes=[(item.event.call, item.causes) for item in retraces if item.event.process == process],
            calls=recording.calls.get(process, {}).get(function.key),
            traces=sum(item.event.process == process for item in done),
            failed=len(failed),
            recompiles=sum(event.phase == "retrace" for event in compilations if event.process == process),
            lost_seconds=lost,
            share=share,
            silent=[cause.code for cause in silent],
        )
        for process in dict.fromkeys(item.event.process for item in group)
    ]
    verdict, growth, reason = min(judgements, key=lambda judgement: _ORDER.index(judgement[0]))
    causes = _gather([*(cause for item in mine for cause in item.causes), *recompilations, *silent])
    covering = _cover(mine, causes, verdict)
    return Diagnosis(
        backend=group[0].event.backend,
        function=function,
        traces=len(done),
        retraces=len(retraces),
        internal=sum(item.event.kind == "trace" and _is_internal(item) for item in group),
        failed=len(failed),
        calls=calls,
        compiles=len(compilations),
        backwards=sum(item.event.kind == "backward" for item in group),
        seconds=_total(item.event.seconds for item in mine),
        exclusive_seconds=_total(item.event.exclusive_seconds for item in mine),
        first_run_seconds=_total(item.event.first_run_seconds for item in done),
        lost_seconds=round(lost, 6),
        share=round(share, 4) if share is not None else None,
        bytes=_bytes(group),
        verdict=verdict,
        growth=growth,
        reason=reason,
        jit_compile=any(item.event.jit_compile for item in mine),
        causes=tuple(causes),
        call_sites=_call_sites(mine),
        covering_signature=covering.snippet,
        covering_note=covering.note,
        notes=tuple(_notes(mine, done, failed, calls)),
    )


def _total(seconds: Iterable[float | None]) -> float:
    return round(sum(value or 0.0 for value in seconds), 6)


def _bytes(group: list[Explained]) -> int | None:
    known = [item.event.bytes for item in group if item.event.bytes is not None]
    return max(sum(known), 0) if known else None


def _lost_seconds(retraces: list[TraceEvent], group: list[TraceEvent]) -> Iterator[float]:
    """Per retrace: its own tracing, and what the first run of its graph took beyond a usual run."""
    steady = [event.steady_run_seconds for event in group if event.steady_run_seconds is not None]
    usual = statistics.median(steady) if steady else 0.0
    for event in retraces:
        run = event.steady_run_seconds if event.steady_run_seconds is not None else usual
        yield (event.exclusive_seconds or 0.0) + max((event.first_run_seconds or 0.0) - run, 0.0)


def _gather(causes: Iterable[Cause]) -> list[Cause]:
    """One cause per code and place, with its count and the values seen in order; the most frequent first."""
    gathered: dict[tuple[CauseCode, str], Cause] = {}
    for cause in causes:
        key = (cause.code, cause.path)
        known = gathered.get(key)
        values = known.values if known else (cause.was,) if cause.was else ()
        if cause.now not in values:
            values = (*values, cause.now)
        gathered[key] = (
            msgspec.structs.replace(cause, values=values)
            if known is None
            else msgspec.structs.replace(
                known, count=known.count + 1, values=values, finite=known.finite and cause.finite
            )
        )
    shortened = [
        msgspec.structs.replace(cause, values=(*cause.values[: VALUES - 1], "…", cause.values[-1]))
        if len(cause.values) > VALUES
        else cause
        for cause in gathered.values()
    ]
    return sorted(shortened, key=lambda cause: -cause.count)


def _cover(mine: list[Explained], causes: list[Cause], verdict: Verdict) -> Covering:
    """Asked for only where a signature could be the remedy: arguments vary, and not by design."""
    remediable = {CauseCode.SHAPE, CauseCode.RANK, CauseCode.VALUE, CauseCode.DTYPE, CauseCode.SPEC, CauseCode.KIND}
    if verdict is not Verdict.RETRACING or not any(cause.code in remediable for cause in causes):
        return Covering(None, None)
    if mine[0].event.backend != "tensorflow" or mine[-1].event.signed or mine[-1].event.function.library:
        return Covering(None, None)
    return cover([item.event.signature for item in mine])


def _call_sites(mine: list[Explained]) -> tuple[SiteCount, ...]:
    counts: Counter[CallSite] = Counter(item.event.call_site for item in mine if item.event.call_site is not None)
    return tuple(SiteCount.of(site, count) for site, count in counts.most_common())


def _first_line(text: str | None) -> str:
    return next(iter((text or "").strip().splitlines()), "an error without a message")


def _notes(mine: list[Explained], done: list[Explained], failed: list[Explained], calls: int | None) -> Iterator[str]:
    if failed:
        yield f"{len(failed)} of {len(mine)} traces raised: {_first_line(failed[-1].event.error)}"
    if calls is None and done:
        yield "its calls are not counted (it is called inside other functions, or not at all)"
    models = {item.event.fingerprint for item in done if item.event.phase == "first"}
    if len(models) > 1:
        yield f"{len(models)} different graphs under this name: other models, not retraces"
