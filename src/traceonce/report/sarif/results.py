"""What there is to report: each function with each of its causes, traces that raised, limits that were reached."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from traceonce.causes.definition import Level
from traceonce.facts import Breach, CallSite, Cause, CauseCode, Diagnosis, FunctionId, SiteCount, Verdict
from traceonce.facts.attention import sort_by_attention
from traceonce.facts.cause import SILENT
from traceonce.report.base import Material
from traceonce.report.phrases import english
from traceonce.report.sarif.fixes import Changes, fixes_of
from traceonce.report.sarif.locations import Locations, Place
from traceonce.report.sarif.rules import FAILED, LIMIT
from traceonce.report.sentences import causes_left, describe_change, describe_reason, fix_command


class SarifResult(NamedTuple):
    """One result. Those with one `identity` are the same finding, wherever its lines have moved to."""

    rule: str
    level: Level
    message: str
    place: Place
    identity: str
    properties: dict[str, Any]
    related: tuple[Place, ...] = ()
    fixes: tuple[dict[str, Any], ...] = ()


def find_results(material: Material, places: Locations) -> Iterator[SarifResult]:
    """Limits first, then the functions, worst first."""
    breaches: dict[tuple[str, bool], list[Breach]] = {}
    for breach in material.recording.breaches:
        breaches.setdefault((breach.function.key, breach.refused), []).append(breach)
    for same in breaches.values():
        yield _describe_limit(same, places)
    attention = sort_by_attention(material.recording, material.diagnoses)
    acute = {diagnosis.function.key for diagnosis in attention.alarms}
    named = {diagnosis.function.key for diagnosis in attention.named}
    changes = Changes(material.diagnoses, places.uris)
    command = fix_command(material.recording.command)
    for diagnosis in material.diagnoses:
        key = diagnosis.function.key
        yield from _Function(diagnosis, places, changes, command, acute=key in acute, named=key in named).results()


def _describe_limit(breaches: list[Breach], places: Locations) -> SarifResult:
    """At the first call that needed one trace more."""
    first = breaches[0]
    said = f"{first.function.name} {english.limit_reached(first, len(breaches))}."
    sites = [SiteCount.of(first.call_site, len(breaches))] if first.call_site else []
    return SarifResult(
        rule=LIMIT,
        level="error",
        message="\n".join([said, *map(describe_change, first.causes)]),
        place=places.of_call(first.function, sites),
        identity=_identify(LIMIT, first.function, places),
        properties={"limit": first.limit.describe(), "traces": first.traces, "retraces": first.retraces},
    )


class _Function:
    """The results of one function. It is `acute` where it is an alarm, `named` where its causes are worth a change."""

    def __init__(
        self,
        diagnosis: Diagnosis,
        places: Locations,
        changes: Changes,
        command: str | None,
        *,
        acute: bool,
        named: bool,
    ) -> None:
        self._diagnosis = diagnosis
        self._places = places
        self._changes = changes
        self._command = command
        self._acute = acute
        self._named = named

    def results(self) -> Iterator[SarifResult]:
        if self._diagnosis.verdict is Verdict.FAILED:
            yield self._found(FAILED, "note" if self._diagnosis.accepted else "error", *self._diagnosis.notes)
        for cause in self._diagnosis.causes:
            # Of a function that is fine, only what has changed since its trace is worth a line.
            if self._named or self._diagnosis.verdict is Verdict.BOUNDED or cause.code is CauseCode.STALE:
                yield self._of_cause(cause)

    def _of_cause(self, cause: Cause) -> SarifResult:
        diagnosis = self._diagnosis
        values = english.describe_values(cause)
        said = f"{cause.path}: {english.describe_cause(cause, diagnosis.traces, diagnosis.backend)}" + (
            f": {values}" if values else ""
        )
        lines = [said, *self._eager_calls(cause), *self._remedies(cause)]
        found = self._found(cause.code.value, self._level(cause), *lines, path=cause.path, site=cause.call_site)
        return found._replace(
            fixes=tuple(self._changes.describe(cause, diagnosis)),
            properties={
                "path": cause.path,
                "count": cause.count,
                "values": cause.values,
                "evidence": cause.evidence,
                **found.properties,
            },
        )

    def _level(self, cause: Cause) -> Level:
        diagnosis = self._diagnosis
        if diagnosis.accepted is not None:
            return "note" if diagnosis.accepted else "error"
        if cause.code in SILENT and self._acute:
            return "error" if cause.evidence == "measured" else "warning"
        return "warning" if diagnosis.verdict.is_alarm and not diagnosis.verdict.is_silent else "note"

    def _eager_calls(self, cause: Cause) -> Iterator[str]:
        """What a function costs that is not compiled any more."""
        if cause.code is CauseCode.FELL_BACK and self._diagnosis.fell_back is not None:
            yield english.describe_eager_calls(self._diagnosis.fell_back)

    def _remedies(self, cause: Cause) -> Iterator[str]:
        """What to change, for what needs to be changed."""
        fixes = [fix for fix in fixes_of(cause, self._diagnosis) if fix.snippet]
        for fix in fixes[:1]:
            yield f"{'Advice' if fix.safety == 'advice' else 'Fix'}: {fix.snippet}"
            yield from english.describe_fix(fix, self._diagnosis, self._command)
        if not fixes and self._named and cause in causes_left(self._diagnosis):
            yield f"Change: {english.describe_remedy(cause, self._diagnosis)}"

    def _found(self, rule: str, level: Level, *lines: str, path: str = "", site: CallSite | None = None) -> SarifResult:
        diagnosis, function = self._diagnosis, self._diagnosis.function
        sites = [*([SiteCount.of(site, 1)] if site is not None else []), *diagnosis.call_sites]
        place = self._places.of_function(function, sites)
        cost = f", {english.lost(diagnosis.lost_seconds, diagnosis.share)}" if diagnosis.lost_seconds >= 0.001 else ""
        return SarifResult(
            rule=rule,
            level=level,
            message="\n".join([f"{function.name} {english.what_happened(diagnosis)}{cost}.", *lines]),
            place=place,
            identity=_identify(rule, function, self._places, path),
            properties=_describe(diagnosis),
            related=tuple(self._places.related(diagnosis, place)),
        )


def _describe(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "verdict": diagnosis.verdict.value,
        "growth": diagnosis.growth,
        "reason": describe_reason(diagnosis),
        "framework": diagnosis.backend,
        "traces": diagnosis.traces,
        "retraces": diagnosis.retraces,
        "calls": diagnosis.calls,
        "callsAtLeast": diagnosis.calls_at_least,
        "graphBreaks": diagnosis.graph_breaks,
        "compiles": diagnosis.compiles,
        "lostSeconds": diagnosis.lost_seconds,
        "unclearSeconds": diagnosis.unclear_seconds,
        "costly": diagnosis.costly,
        "shareOfRun": diagnosis.share,
        "bytesKept": diagnosis.bytes,
        "records": diagnosis.records,
    }


def _identify(rule: str, function: FunctionId, places: Locations, path: str = "") -> str:
    file = None if function.library else places.uris.locate(function.file)
    parts = (rule, file["uri"] if file else "", function.name, path)
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]
