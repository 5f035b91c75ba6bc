"""A recording in, a diagnosis per function out, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from traceonce.diagnosis.compilations import Compilations
from traceonce.diagnosis.costs import find_costly, lost_in
from traceonce.diagnosis.history import Explained, History
from traceonce.diagnosis.verdicts import Retrace, judge
from traceonce.errors import TracingLimitReached
from traceonce.facts import (
    CallSite,
    Cause,
    CauseCode,
    Diagnosis,
    Finding,
    FunctionId,
    Note,
    Recording,
    SiteCount,
    TraceEvent,
    Verdict,
)
from traceonce.facts.error_text import main_line
from traceonce.words.notes import in_english
from traceonce.words.notes.diagnoses import (
    CALLS_NOT_COUNTED,
    DIFFERENT_GRAPHS,
    FIRST_RUNS_UNCLEAR,
    OTHER_SIZES,
    TRACES_RAISED,
    TRACES_RAISED_WITHOUT_A_WORD,
)

VALUES = 12  # distinct values kept per cause
WORTH_SAYING = 0.1  # seconds of first runs
_ORDER = list(Verdict)
_OF_SIZES = (CauseCode.CAPTURED, CauseCode.SHAPE)
Key: TypeAlias = tuple[str, str]


class Diagnosed(NamedTuple):
    """A diagnosis and what it is made of: the traces that the user's code caused, and the compilations, in order."""

    diagnosis: Diagnosis
    events: tuple[TraceEvent, ...]


def diagnose(recording: Recording) -> list[Diagnosis]:
    """Diagnose every traced function of a run: what it did, and whether it matters; worst first."""
    return [diagnosed.diagnosis for diagnosed in diagnose_with_events(recording)]


def diagnose_with_events(recording: Recording, explained: Iterable[Explained] | None = None) -> list[Diagnosed]:
    """The same, each diagnosis with its events; from `explained` events where they are known already."""
    groups: dict[Key, list[Explained]] = {}
    told: set[tuple[str, int]] = set()
    for item in explain_events(recording) if explained is None else explained:
        if not _is_internal(item):
            told.add((item.event.process, item.event.id))
        groups.setdefault((item.event.backend, item.event.function.key), []).append(item)
    findings: dict[Key, list[Finding]] = {}
    for finding in recording.findings:
        findings.setdefault((finding.backend, finding.function.key), []).append(finding)
    diagnosed = [
        Diagnosed(_diagnose_function(group, findings.get(key, []), recording, told), _events(group))
        for key, group in groups.items()
        if any(not _is_internal(item) and not _is_refused(item) for item in group)
    ]
    for part, head in _inside(diagnosed):
        _move_cost(diagnosed, part, head, recording)
    taken = [item.diagnosis.lost_seconds + item.diagnosis.unclear_seconds for item in diagnosed]
    costly = find_costly(taken, recording.seconds)
    for index in costly:
        diagnosis, events = diagnosed[index]
        diagnosed[index] = Diagnosed(msgspec.structs.replace(diagnosis, costly=True), events)
    return sorted(diagnosed, key=lambda item: _badness(item.diagnosis))


def _inside(diagnosed: list[Diagnosed]) -> Iterator[tuple[int, int]]:
    """A library's functions that were only traced inside of another one made by the same line: which, and in which."""
    owners = {(event.process, event.id): index for index, (_, events) in enumerate(diagnosed) for event in events}
    for index, (diagnosis, events) in enumerate(diagnosed):
        if diagnosis.verdict is not Verdict.BOUNDED or not diagnosis.function.library:
            continue
        around = {owners.get((event.process, event.parent or 0)) for event in events if event.kind == "trace"}
        head = around.pop() if len(around) == 1 else None
        if head is None or head == index:
            continue
        outer = diagnosed[head].diagnosis
        one, other = diagnosis.made_at, outer.made_at
        together = one is not None and other is not None and (one.file, one.line) == (other.file, other.line)
        if together and outer.function.library:
            yield index, head


def _move_cost(diagnosed: list[Diagnosed], part: int, head: int, recording: Recording) -> None:
    """To the user they are one thing, and cost what both cost."""
    moved, kept = diagnosed[part].diagnosis, diagnosed[head].diagnosis
    lost = _total([kept.lost_seconds, moved.lost_seconds])
    unclear = _total([kept.unclear_seconds, moved.unclear_seconds])
    for index, seconds, unknown in ((part, 0.0, 0.0), (head, lost, unclear)):
        diagnosis, events = diagnosed[index]
        share = seconds / recording.seconds if diagnosis.share is not None else None
        costs = {"lost_seconds": seconds, "unclear_seconds": unknown, "share": share}
        diagnosed[index] = Diagnosed(msgspec.structs.replace(diagnosis, **costs), events)


def _events(group: list[Explained]) -> tuple[TraceEvent, ...]:
    mine = [item.event for item in group if not _is_internal(item) and not _is_refused(item)]
    return tuple(event for event in mine if event.kind != "backward")


def _is_internal(item: Explained) -> bool:
    return item.event.phase == "internal"


def _is_refused(item: Explained) -> bool:
    """Was it a limit that did not let the trace be kept, its own or that of a function inside? A breach tells of it."""
    return (item.event.error or "").startswith(f"{TracingLimitReached.__name__}: ")


def _badness(diagnosis: Diagnosis) -> tuple[int, float, float]:
    """What was shown to be wrong comes before what is slow, and that by its cost before what may be wrong."""
    acute = diagnosis.verdict in (Verdict.FELL_BACK, Verdict.RETRACING, Verdict.RECOMPILING, Verdict.FAILED)
    rank = -1 if diagnosis.surely_wrong else 0 if acute else _ORDER.index(diagnosis.verdict)
    return (rank, -diagnosis.lost_seconds, -diagnosis.seconds)


def explain_events(recording: Recording) -> list[Explained]:
    """Every event of a recording with its causes. Each process has its own history; a forked one inherits."""
    histories: dict[tuple[str, str, str], History] = {}
    dead: dict[str, set[int]] = {}
    compilations = Compilations()
    explained: list[Explained] = []
    for event in recording.events:
        gone = dead.setdefault(event.process, set())
        gone.update(event.dead)  # told with the next event of any function
        if event.kind != "trace":
            explained.append(Explained(event, compilations.explain(event) if event.kind == "compile" else ()))
            continue
        key = (event.process, event.backend, event.function.key)
        if key not in histories:
            histories[key] = _inherit(recording, event, gone)
        explained.append(histories[key].explain(event))
    return explained


def _inherit(recording: Recording, first: TraceEvent, dead: set[int]) -> History:
    """An empty history, or, in a forked process, that of its ancestors up to each fork."""
    history = History(dead)
    until: dict[str, float] = {}
    process = first.process
    while process in recording.forks and recording.forks[process] not in until:
        parent = recording.forks[process]
        until[parent] = recording.forked_at.get(process, first.start)
        process = parent
    for event in recording.events if until else ():
        same = event.process in until and event.function == first.function and event.kind == "trace"
        if same and event.start < until[event.process]:
            history.explain(event)
    return history


def _diagnose_function(
    group: list[Explained], findings: list[Finding], recording: Recording, told: Container[tuple[str, int]]
) -> Diagnosis:
    mine = [item for item in group if item.event.kind == "trace" and not _is_internal(item) and not _is_refused(item)]
    done = [item for item in mine if item.event.phase != "failed"]
    retraces = [item for item in done if item.event.phase == "retrace"]
    failed = [item for item in mine if item.event.phase == "failed" and not item.event.graph_breaks]  # those were run
    compilations = [item.event for item in group if item.event.kind == "compile"]
    parts = _parts(group, mine)
    function = group[-1].event.function
    calls = _calls(recording, function, [item.event for item in done])
    lost = sum(map(lost_in, (item.event for item in retraces)))
    lost += sum(event.exclusive_seconds or 0.0 for event in _parts(group, retraces))
    lost += sum(event.seconds or 0.0 for event in compilations if event.phase == "retrace")
    lost += sum(item.event.exclusive_seconds or 0.0 for item in failed if item.causes)
    unclear = sum(item.event.unclear_in_first_run for item in retraces)
    share = lost / recording.seconds if recording.seconds > 0 and recording.complete else None
    findings_causes = [finding.cause for finding in findings]
    recompiled = [
        (cause, item.event.call_site) for item in group if item.event.kind == "compile" for cause in item.causes
    ]
    judgements = [
        judge(
            retraces=list(_retraces(done, process, told)),
            calls=_calls(recording, function, [item.event for item in done], process),
            traces=sum(item.event.process == process for item in done),
            failed=len(failed),
            recompiles=sum(event.phase == "retrace" for event in compilations if event.process == process),
            of_dataset=function.name.endswith("[dataset]"),
            at_least=function.key in recording.at_least,
            resharded=any(cause.code is CauseCode.SHARDING for cause, _ in recompiled),
            silent=[cause.code for cause in findings_causes if cause.note is None or cause.code is CauseCode.FELL_BACK],
        )
        for process in dict.fromkeys(item.event.process for item in group)
    ]
    verdict, growth, reason = min(judgements, key=lambda judgement: _ORDER.index(judgement[0]))
    sited = [(cause, item.event.call_site) for item in mine for cause in item.causes]
    causes = _gather([*sited, *recompiled, *((cause, cause.call_site) for cause in findings_causes)])
    notes = (*_notes(mine, done, failed, calls), *_cost_notes(lost, unclear))
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
        seconds=_total(event.seconds for event in [*(item.event for item in mine), *parts]),
        exclusive_seconds=_total(event.exclusive_seconds for event in [*(item.event for item in mine), *parts]),
        first_run_seconds=_total(item.event.first_run_seconds for item in done),
        lost_seconds=round(lost, 6),
        share=round(share, 6) if share is not None else None,
        bytes=_bytes(group),
        verdict=verdict,
        growth=growth,
        reason=reason,
        reduce_retracing=all(item.event.reduce_retracing for item in mine),
        jit_compile=any(item.event.jit_compile for item in mine),
        causes=tuple(causes),
        call_sites=_call_sites(mine),
        notes=in_english(notes),
        calls_at_least=calls is not None and function.key in recording.at_least,
        fell_back=next((finding.fell_back for finding in findings if finding.fell_back is not None), None),
        graph_breaks=tuple(dict.fromkeys(place for item in group for place in item.event.graph_breaks)),
        coded_notes=notes,
        made_at=_most(item.event.made_at for item in mine),
        known_as=next((item.event.known_as for item in reversed(mine) if item.event.known_as), None),
        inner=bool(mine) and all(item.event.inner for item in mine),
        unclear_seconds=round(unclear, 6),
    )


def _retraces(done: list[Explained], process: str, told: Container[tuple[str, int]]) -> Iterator[Retrace]:
    """What the verdict needs of each retrace of one process; `told` are the traces of the report."""
    lines: set[tuple[str, int] | None] = set()
    captured: set[tuple[str, str]] = set()
    for item in done:
        event = item.event
        if event.process != process:
            continue
        line = (event.call_site.file, event.call_site.line) if event.call_site is not None else None
        if event.phase == "retrace":
            same_line = line is None or line in lines
            new = set(event.captured.items()) - captured
            varied = {cause.path for cause in item.causes if cause.code is CauseCode.CAPTURED}
            new_sizes = any(path in varied for path, _ in new)
            parent = event.parent if event.parent is not None and (process, event.parent) in told else None
            yield Retrace(event.call, item.causes, item.repeated, parent, same_line, new_sizes, item.resized)
        lines.add(line)
        captured |= set(event.captured.items())


def _parts(group: list[Explained], whole: list[Explained]) -> list[TraceEvent]:
    """What was compiled after a graph break in the same call: no trace of its own, but its time counts."""
    known = {(item.event.process, item.event.id): item.event for item in whole}
    parts = []
    for item in group:
        event = item.event
        first = known.get((event.process, event.parent)) if event.parent is not None else None
        if first is None or event.kind != "trace" or not _is_internal(item):
            continue
        if event.start >= first.start + (first.seconds or 0.0):  # after it, not inside of it
            parts.append(event)
    return parts


def _calls(
    recording: Recording, function: FunctionId, done: list[TraceEvent], process: str | None = None
) -> int | None:
    """The calls of a function, in all or in one process; None where they are not counted.

    Some frameworks count eager calls only. Fewer calls than traces means that it is called inside other functions.
    """
    counted = [counts.get(function.key) for name, counts in recording.calls.items() if process in (None, name)]
    total = sum(count or 0 for count in counted)
    traces = sum(process in (None, event.process) for event in done)
    return total if total and total >= traces else None


def _total(seconds: Iterable[float | None]) -> float:
    return round(sum(value or 0.0 for value in seconds), 6)


def _bytes(group: list[Explained]) -> int | None:
    known = [item.event.bytes for item in group if item.event.bytes is not None]
    return max(sum(known), 0) if known else None


def _gather(causes: Iterable[tuple[Cause, CallSite | None]]) -> list[Cause]:
    """One cause per code and place, with its count and the values seen in order; the most frequent first."""
    places: dict[tuple[CauseCode, str], list[Cause]] = {}
    sites: dict[tuple[CauseCode, str], Counter[CallSite]] = {}
    for cause, site in causes:
        places.setdefault((cause.code, cause.path), []).append(cause)
        sites.setdefault((cause.code, cause.path), Counter()).update([site] if site is not None else [])
    gathered = []
    for place, same in places.items():
        values = list(dict.fromkeys([*([same[0].was] if same[0].was else []), *(cause.now for cause in same)]))
        shown = values if len(values) <= VALUES else [*values[: VALUES - 1], "…", values[-1]]
        finite = all(cause.finite for cause in same)
        told = next((cause for cause in same if cause.note), same[0])
        site = next((site for site, _ in sites[place].most_common(1)), None)
        gathered.append(
            msgspec.structs.replace(
                same[0],
                count=len(same),
                values=tuple(shown),
                finite=finite,
                note=told.note,
                differs=told.differs,
                call_site=site,
                coded_notes=told.coded_notes,
            )
        )
    return sorted(gathered, key=lambda cause: -cause.count)


def _call_sites(mine: list[Explained]) -> tuple[SiteCount, ...]:
    counts: Counter[CallSite] = Counter(item.event.call_site for item in mine if item.event.call_site is not None)
    return tuple(SiteCount.of(site, count) for site, count in counts.most_common())


def _most(sites: Iterable[CallSite | None]) -> SiteCount | None:
    counted = Counter(site for site in sites if site is not None).most_common(1)
    return SiteCount.of(*counted[0]) if counted else None


def _notes(mine: list[Explained], done: list[Explained], failed: list[Explained], calls: int | None) -> Iterator[Note]:
    if failed:
        error = main_line(failed[-1].event.error)
        if error:
            yield TRACES_RAISED(failed=len(failed), traces=len(mine), error=error)
        else:
            yield TRACES_RAISED_WITHOUT_A_WORD(failed=len(failed), traces=len(mine))
    if calls is None and done:
        yield CALLS_NOT_COUNTED()
    firsts = [item.event for item in done if item.event.phase == "first"]
    models = {event.fingerprint for event in firsts}
    if len(models) > 1:
        yield DIFFERENT_GRAPHS(count=len(models))
    resized = [item for item in done if item.resized]
    sizes = [cause for item in resized for cause in item.causes if cause.code in _OF_SIZES]
    if sizes:
        yield OTHER_SIZES(count=len(resized), sizes=f"{sizes[0].path}: {sizes[0].was} → {sizes[0].now}")


def _cost_notes(lost: float, unclear: float) -> Iterator[Note]:
    """What is not counted as lost is said where it might change the picture."""
    if unclear >= WORTH_SAYING and unclear >= lost / 10:
        yield FIRST_RUNS_UNCLEAR(seconds=unclear)
