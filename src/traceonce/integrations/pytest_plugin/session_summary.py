"""What the terminal says of a whole session: how much was traced, and where it was worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from traceonce.facts import Verdict
from traceonce.facts.command_line import quoted
from traceonce.facts.printable import in_line, printable
from traceonce.facts.quantities import count_of, duration
from traceonce.integrations.pytest_plugin.traced_tests import TracedFunction, TracedTest
from traceonce.report.sentences import in_calls

WORST = 10  # functions that are shown
_ORDER = list(Verdict)


def summary(outcomes: Sequence[TracedTest]) -> Iterator[str]:
    """The totals in a line; then the worst functions with their tests."""
    return map(in_line, _summary(printable(outcomes)))


def _summary(outcomes: Sequence[TracedTest]) -> Iterator[str]:
    problems = Counter(text for outcome in outcomes for text in outcome.problems)
    yield from (f"note: {text} (in {count_of(number, 'test')})" for text, number in problems.most_common(3))
    traced = [outcome for outcome in outcomes if outcome.functions]
    if not traced:
        yield f"no function was traced in {count_of(len(outcomes), 'test')}"
        return
    functions = [function for outcome in traced for function in outcome.functions]
    totals = (
        count_of(sum(function.traces for function in functions), "trace"),
        count_of(sum(function.retraces for function in functions), "retrace"),
        f"{duration(sum(function.lost_seconds for function in functions))} lost",
    )
    yield f"{len(traced):,} of {count_of(len(outcomes), 'test')} traced: {', '.join(totals)}"
    bad = [(f, outcome.test) for outcome in traced for f in outcome.functions if f.verdict is not Verdict.OK]
    bad.sort(key=lambda pair: (_ORDER.index(pair[0].verdict), -pair[0].lost_seconds, pair[1]))
    for function, test in bad[:WORST]:
        yield f"  {function.verdict.value:<11} {_describe(function)}"
        yield f"  {'':<11} {test}"
    if len(bad) > WORST:
        yield f"  … and {len(bad) - WORST} more (for one test: pytest --traceonce TEST)"
    records = sorted({record for function, _ in bad[:WORST] for record in function.records})  # no clock in the order
    if records:
        yield f"  {'known':<11} {quoted(['traceonce', 'explain', *records])}"


def _describe(function: TracedFunction) -> str:
    calls = in_calls(function.calls, function.calls_at_least)
    lost = f", {duration(function.lost_seconds)} lost" if function.retraces else ""
    causes = f" · {function.causes}" if function.causes else ""
    counts = f"{count_of(function.traces, 'trace')}, {count_of(function.retraces, 'retrace')}{calls}"
    return f"{function.name}: {counts}{lost}{causes}"


def improvements(outcomes: Sequence[TracedTest]) -> Iterator[str]:
    """Tests that needed less than is accepted of them."""
    return map(in_line, _improvements(printable(outcomes)))


def _improvements(outcomes: Sequence[TracedTest]) -> Iterator[str]:
    better = [(outcome.test, text) for outcome in outcomes if outcome.ended for text in outcome.better]
    if better:
        less = f"{count_of(len(better), 'function')} needed less than the baseline accepts"
        yield f"{less} (or another test had traced for it). Accept that with --traceonce-update-baseline:"
        for test, text in better[:WORST]:
            yield f"  {test}: {text}"
        if len(better) > WORST:
            yield f"  … and {len(better) - WORST} more"
