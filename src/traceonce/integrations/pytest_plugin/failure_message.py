"""What is said of a test that traced too much: a line for the failure, and the section of its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from traceonce.facts import Diagnosis
from traceonce.facts.command_line import quoted
from traceonce.facts.printable import SENTENCE, cut, in_line, printable
from traceonce.facts.quantities import count_of, duration
from traceonce.knowledge.cause_records import records_of
from traceonce.report.sentences import (
    causes_left,
    describe_breaks,
    describe_cause,
    describe_change,
    describe_eager_calls,
    describe_fix,
    describe_place,
    describe_remedy,
    describe_site,
    describe_values,
    fixes_to_show,
    in_calls,
    lines_to_show,
)

CAUSES = 8  # shown per function
SITES = 3
RECORDS = 3


class Offence(NamedTuple):
    """A function that did what its test forbids: in one line, and by which limit."""

    function: Diagnosis
    line: str
    limit: str


def describe_offences(offences: Sequence[Offence], explained: Iterable[Diagnosis]) -> str:
    """The section: every function once, with its limits. `explained` knows what was traced before the test, too."""
    known = {(d.backend, d.function.key): printable(d) for d in explained}
    limits: dict[tuple[str, str], list[Offence]] = {}
    for offence in offences:
        limits.setdefault((offence.function.backend, offence.function.function.key), []).append(offence)
    lines: list[str] = []
    for key, same in limits.items():
        lines += [offence.line for offence in same]
        lines += _facts(printable(same), known.get(key, printable(same[0].function)))
    return "\n".join(map(in_line, lines))


def _facts(offences: Sequence[Offence], explained: Diagnosis) -> Iterator[str]:
    judged = offences[0].function
    yield f"  function   {judged.function.name}, {describe_place(judged.function, judged.backend, judged.made_at)}"
    for offence in offences:
        yield f"  limit      {offence.limit}"
    calls = in_calls(judged.calls, judged.calls_at_least)
    yield f"  count      {count_of(judged.traces, 'trace')}, {count_of(judged.retraces, 'retrace')}{calls}"
    yield f"  cost       {_cost(explained)}"
    for site in judged.call_sites[:SITES]:
        yield f"  called at  {describe_site(site)} ({count_of(site.count, 'trace')})"
    for cause in explained.causes[:CAUSES]:
        values = describe_values(cause)
        seen = f"; {values}" if len(cause.values) > 2 and values else ""
        words = describe_cause(cause, explained.traces, explained.backend)
        yield f"  cause      {describe_change(cause)} ({words}{seen})"
    if explained.fell_back is not None:
        yield f"  eager      {describe_eager_calls(explained.fell_back)}"
    if explained.graph_breaks:
        yield f"  breaks     {describe_breaks(explained.graph_breaks)}"
    if not explained.causes and judged.traces:
        yield "  cause      the first trace: the function had not been traced before"
    yield from _changes(explained)
    for note in explained.notes:
        yield f"  note       {note}"
    if records := records_of(explained):
        yield f"  known      {quoted(['traceonce', 'explain', *records[:RECORDS]])}"


def _cost(diagnosis: Diagnosis) -> str:
    if diagnosis.retraces:
        return f"{duration(diagnosis.lost_seconds)} lost to retraces, with the first runs of the new graphs"
    return f"{duration(diagnosis.exclusive_seconds)} of tracing"


def _changes(diagnosis: Diagnosis) -> Iterator[str]:
    yield from (f"  change     {remedy}" for remedy in _remedies(diagnosis))
    for fix in fixes_to_show(diagnosis):
        words = describe_fix(fix, diagnosis, None) if fix.snippet and not fix.is_report else ()
        code = [cut(line, SENTENCE) for line in lines_to_show(fix)]
        yield from (f"  {'' if number else 'fix':<11}{line}" for number, line in enumerate([*code, *words]))


def _remedies(diagnosis: Diagnosis) -> Iterator[str]:
    paths: dict[str, list[str]] = {}
    for cause in causes_left(diagnosis)[:CAUSES]:
        paths.setdefault(describe_remedy(cause, diagnosis), []).append(cause.path)
    for remedy, places in paths.items():
        yield remedy if len(paths) == 1 else f"{', '.join(dict.fromkeys(places))}: {remedy}"


def visible_name(diagnosis: Diagnosis) -> str:
    """The name as it is written in the source: without the test around it."""
    return diagnosis.function.name.rpartition("<locals>.")[2]
