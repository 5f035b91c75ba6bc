"""What a test traced, against what it may trace.

A test is judged by what happened inside it. What was traced before it (`TraceEvent.earlier`) explains a trace, but does
not make it a retrace: whether another test had traced a shared function already depends on the order of the tests. So a
test never shows more traces than it would show alone. It may show fewer, where it was served by the traces of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from traceonce.diagnosis import diagnose
from traceonce.facts import Diagnosis, FunctionId, Limit, Recording, Verdict
from traceonce.facts.printable import SENTENCE, in_line
from traceonce.facts.quantities import count_of
from traceonce.integrations.pytest_plugin.failure_message import Offence, describe_offences, visible_name
from traceonce.integrations.pytest_plugin.file_names import name_from
from traceonce.integrations.pytest_plugin.marks import find_limit
from traceonce.integrations.pytest_plugin.traced_tests import TracedFunction, TracedTest
from traceonce.knowledge.cause_records import records_of
from traceonce.limits.baseline import Change, Functions, compare, digest, name_in_baseline, take_state
from traceonce.limits.trace_counts import Count
from traceonce.report.sentences import describe_cause, describe_place, describe_verdict

if TYPE_CHECKING:
    from traceonce.integrations.pytest_plugin.session import SuiteSettings


class CheckedTest(NamedTuple):
    """The lines that a test fails with, the section of its report, what the session is told, problems of our own.

    `traced` are the functions that the test traced.
    """

    failures: Sequence[str] = ()
    section: str = ""
    outcome: TracedTest | None = None
    problems: Sequence[str] = ()
    traced: Sequence[FunctionId] = ()

    @property
    def message(self) -> str:
        """In one line, which is all that pytest's short summary shows."""
        return "; ".join(self.failures)


def judge_test(
    test: str, recording: Recording, limits: Sequence[Limit], settings: SuiteSettings | None, root: str
) -> CheckedTest:
    """Judge a test by its own `limits` and those of the session. What was not watched properly is a problem."""
    problems = [notice.text for notice in recording.notices if notice.error]
    if not limits and settings is None:  # the test asked for `traces`, and judges for itself
        return CheckedTest(problems=problems)
    recording = name_from(root, recording)
    inside = only_inside(recording)
    diagnoses = diagnose(inside)
    offences = list(_over_limit(inside, diagnoses, limits))
    outcome = None
    if settings is not None:
        state = take_state(diagnoses)
        accepted = settings.accepted_of(test, state)
        traced_for = _traced_for(recording)
        changes = compare(accepted, state) if accepted is not None else ()
        changes = [change for change in changes if not settings.excuses(change, traced_for)]
        offences += _unwanted(diagnoses, settings.fail_on, accepted or {})
        offences += _worse(diagnoses, changes)
        better = tuple(change.describe() for change in changes if not change.is_worse)
        functions = tuple(map(_traced, diagnoses))
        outcome = TracedTest(test, functions, state, better, tuple(problems), traced_for=traced_for)
    section = describe_offences(offences, _explained(recording)) if offences else ""
    traced = [diagnosis.function for diagnosis in diagnoses]
    failures = [in_line(offence.line, SENTENCE) for offence in offences]
    return CheckedTest(failures, section, outcome, problems, traced)


def _explained(recording: Recording) -> list[Diagnosis]:
    """With what was traced before the test, too, and with fixes."""
    from traceonce.analysis.diagnoses import diagnose_with_fixes

    return diagnose_with_fixes(recording)


def only_inside(recording: Recording) -> Recording:
    """A recording without what was traced before it began."""
    events = tuple(msgspec.structs.replace(event, earlier=()) for event in recording.events)
    return msgspec.structs.replace(recording, events=events)


def count_traces(recording: Recording, limits: Sequence[Limit]) -> dict[str, int]:
    """How many traces of each function, by its key, count against its limit."""
    counts: dict[Limit, Count] = {}
    for event in recording.events:
        limit = find_limit(limits, event.function)
        if limit is not None and event.kind == "trace":
            counts.setdefault(limit, Count(limit)).replay(event)
    return {key: number for count in counts.values() for key, number in count.totals().items()}


def _traced_for(recording: Recording) -> dict[str, tuple[str, ...]]:
    """What functions that tests may share were traced for, by their names in the baseline, as digests.

    A function that another one makes is made anew for each test, unless it turns out to have been traced before it.
    """
    found: dict[str, set[str]] = {}
    for event in recording.events:
        may_be_shared = "<locals>" not in event.function.name or event.earlier
        if may_be_shared and event.kind == "trace" and event.phase not in ("internal", "failed"):
            found.setdefault(name_in_baseline(event.function), set()).add(digest(event.signature))
    return {name: tuple(sorted(digests)) for name, digests in found.items()}


def _over_limit(inside: Recording, diagnoses: Sequence[Diagnosis], limits: Sequence[Limit]) -> Iterator[Offence]:
    counted = count_traces(inside, limits)
    names = Counter(map(visible_name, diagnoses))
    for diagnosis in diagnoses:
        limit = find_limit(limits, diagnosis.function)
        number = counted.get(diagnosis.function.key, 0)
        if limit is None or number <= limit.most:
            continue
        name = visible_name(diagnosis)
        where = f" ({describe_place(diagnosis.function, diagnosis.backend)})" if names[name] > 1 else ""
        after = f" after the first {count_of(limit.warmup, 'call')}" if limit.warmup else ""
        line = f"{name}{where} was traced {count_of(number, 'time')}{after}, max_traces allows {limit.most:,}"
        yield Offence(diagnosis, line, f"{limit.describe()} (@pytest.mark.max_traces)")


def _unwanted(diagnoses: Sequence[Diagnosis], fail_on: Sequence[str], accepted: Functions) -> Iterator[Offence]:
    """Functions with a verdict that is not wanted; a value that only may be stale breaks no build.

    What the baseline accepts of a function is no reason either, but for a trace that raised: no baseline knows of that.
    """
    for diagnosis in diagnoses:
        verdict = diagnosis.verdict
        known = name_in_baseline(diagnosis.function) in accepted and verdict is not Verdict.FAILED
        unsure = verdict is Verdict.STALE and not diagnosis.surely_wrong
        if verdict.value in fail_on and not known and not unsure:
            line = f"{visible_name(diagnosis)} {describe_verdict(verdict)} (--traceonce-fail-on)"
            yield Offence(diagnosis, line, f"no function may be {verdict.value} (--traceonce-fail-on)")


def _worse(diagnoses: Sequence[Diagnosis], changes: Sequence[Change]) -> Iterator[Offence]:
    for change in changes:
        same = [diagnosis for diagnosis in diagnoses if name_in_baseline(diagnosis.function) == change.function]
        if change.is_worse and same:
            line = f"{change.describe()}: more than the baseline accepts"
            most = max(same, key=lambda diagnosis: diagnosis.retraces)
            yield Offence(most, line, f"{change.describe()} (accepted → now, --traceonce-baseline)")


def _traced(diagnosis: Diagnosis) -> TracedFunction:
    causes = [
        f"{cause.path}: {describe_cause(cause, diagnosis.traces, diagnosis.backend)}" for cause in diagnosis.causes[:2]
    ]
    more = len(diagnosis.causes) - len(causes)
    return TracedFunction(
        name=visible_name(diagnosis),
        verdict=diagnosis.verdict,
        traces=diagnosis.traces,
        retraces=diagnosis.retraces,
        lost_seconds=diagnosis.lost_seconds,
        calls=diagnosis.calls,
        calls_at_least=diagnosis.calls_at_least,
        causes="; ".join([*causes, f"{count_of(more, 'more cause')}"] if more > 0 else causes),
        records=() if diagnosis.verdict in (Verdict.OK, Verdict.BOUNDED) else tuple(records_of(diagnosis)),
    )
