"""The results in words: what a model reads, with every fact that the data has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import SiteCount
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of, duration, percent, size
from traceonce.frameworks.base.registry import dialect_of
from traceonce.knowledge.advice import Advice, Explanation
from traceonce.knowledge.evidence import join_versions
from traceonce.knowledge.outcomes import Outcome
from traceonce.knowledge.render.markup import markdown_fence, one_line
from traceonce.report.sentences import describe_breaks, in_calls
from traceonce.serve.mcp.contract import (
    ErrorExplained,
    FixesFound,
    FixFound,
    FunctionFound,
    RecordFound,
    RecordingsFound,
    RecordsFound,
    RunFound,
)

DOCUMENT = 24_000  # characters of a record


class _Block(str):
    """Several lines, as they are; anything else is one line, whatever the recorded program called its functions."""


_STATUS = {
    "proved": "proved by running it",
    "predicted": "predicted, not run",
    "advice": "advice, for a person to decide",
    "refuted": "tried, and refuted",
    "not_proved": "tried, and not proved",
}


def tell_recordings(found: RecordingsFound) -> str:
    if not found.recordings:
        return _page(["No such recordings. Make one with: traceonce run --recording run.jsonl SCRIPT"])
    lines = [f"{len(found.recordings)} of {count_of(found.total, 'recording')}, newest first:"]
    for line in found.recordings:
        facts = [line.name] if line.name != line.recording else []
        facts += [line.written, size(line.size)]
        if line.command is not None:
            facts.append(f"command: {' '.join(line.command)}")
        if line.traces is not None:
            facts.append(count_of(line.traces, "trace"))
        if line.lost_seconds is not None:
            facts.append(f"{duration(line.lost_seconds)} lost")
        if line.worst is not None:
            facts.append(f"worst: {line.worst}")
        lines.append(f"- {line.recording}: {' · '.join(facts)}")
    return _page([*lines, *_left_out(found.left_out)])


def tell_run(found: RunFound) -> str:
    ended = "unknown" if found.exit_code is None else found.exit_code
    lines = [
        found.headline,
        f"recording: {found.recording} · command: {' '.join(found.command) or 'unknown'} · "
        f"began {found.started} · {duration(found.seconds)} · exit status {ended}",
    ]
    if found.error:
        lines.append(f"the program ended with an error: {found.error}")
    for function in found.functions:
        lines += ["", *_function(function)]
    lines += ["", *(f"note: {notice}" for notice in found.notices), f"next: {found.next_step}"]
    more = ["Name a function to see more of it."] if found.left_out and len(found.functions) > 1 else []
    return _page([*lines, *_left_out(found.left_out), *more])


def _function(function: FunctionFound) -> Iterator[str]:
    counts = [count_of(function.traces, dialect_of(function.framework).trace.en)]
    counts[0] += in_calls(function.calls, function.calls_at_least)
    if function.compiles:
        what = f"{dialect_of(function.framework).compiler} compilation".lstrip()
        counts.append(count_of(function.compiles, what))
    if function.failed:
        counts.append(f"tracing raised {count_of(function.failed, 'time')}")
    if function.lost_seconds >= 0.001:
        share = f" ({percent(function.share)} of the run)" if function.share is not None else ""
        counts.append(f"{duration(function.lost_seconds)} lost{share}")
    if function.kept_bytes:
        counts.append(f"{size(function.kept_bytes)} kept")
    ignore = " (can be ignored)" if function.ignorable else ""
    costly = ", costly" if function.costly else ""
    yield f"## {function.name}: {function.verdict.value}{costly}{ignore}"
    yield " · ".join([*counts, _place(function.file, function.line)])
    if function.reason:
        yield f"why this verdict: {function.reason}"
    if function.fell_back is not None:
        yield function.fell_back.what
    if function.graph_breaks:
        yield describe_breaks(function.graph_breaks)
    for site in function.call_sites:
        yield f"called from {_site(site)}"
    for cause in function.causes:
        values = f": {', '.join(cause.values)}" if cause.values else ""
        yield f"- cause `{cause.path}` ({cause.code.value}, {cause.evidence}): {cause.what}{values}"
        if not function.ignorable:
            yield f"- to change: {cause.remedy}"
    for fix in function.fixes:
        yield f"- fix ({fix.recipe}; {_STATUS[fix.status]}; {fix.safety}):"
        yield from _code(fix.snippet)
    for note in function.notes:
        yield f"- note: {note}"
    if function.records:
        yield f"- records: {', '.join(function.records)}"


def tell_fixes(found: FixesFound) -> str:
    lines = [f"{found.function} ({found.verdict.value}, {_place(found.file, found.line)}): {found.summary}"]
    for number, fix in enumerate(found.fixes, 1):
        lines += ["", f"## {number}. {fix.recipe}: {_STATUS[fix.status]}; {fix.safety}", *_fix(fix)]
    if found.advice:
        lines += ["", "To change by hand:", *(f"- {line}" for line in found.advice)]
    if found.records:
        lines += ["", f"records: {', '.join(found.records)}"]
    if found.prove_with:
        proved = any(fix.status == "proved" for fix in found.fixes)
        again = "To prove it again, or to make the change with --write before the script"
        what = again if proved else "To try changes and prove them"
        lines += ["", f"{what} (it works in copies): {found.prove_with}"]
    return _page([*lines, *_left_out(found.left_out)])


def _fix(fix: FixFound) -> Iterator[str]:
    yield from _code(fix.snippet)
    yield from fix.in_words
    if fix.diff:
        yield from _code(fix.diff, "diff")


def tell_explained(found: ErrorExplained) -> str:
    lines: list[str] = []
    for explanation in found.explanations:
        lines += [*_explanation(explanation), ""]
    for item in found.ignorable:
        lines.append(f"can be ignored{_in(item.functions)}: {item.record}")
    if not (found.explanations or found.ignorable):
        lines.append("Nothing is known about this.")
    lines += [f"not known: {error}" for error in found.unknown]
    if found.guesses:
        lines.append("The nearest records by words, as guesses; they may be unrelated:")
        lines += [f"- {guess.record} ({guess.score:.2f}, {guess.why})" for guess in found.guesses]
    return _page([*lines, *_left_out(found.left_out)])


def _explanation(explanation: Explanation) -> Iterator[str]:
    yield f"## {explanation.record}{_in(explanation.functions)}"
    line = f"line {explanation.line}: " if explanation.line is not None else ""
    times = f" ({explanation.count} times)" if explanation.count > 1 else ""
    yield f"matched: {line}{explanation.why}{times}"
    yield f"cause: {explanation.root_cause}"
    if explanation.try_first:
        yield from _advice("try first (workaround 1)", "helped", explanation.try_first)
    for number, advice in enumerate(explanation.other_workarounds, 2):
        yield from _advice(f"or (workaround {number})", "helped", advice)
    for advice in explanation.do_not:
        yield from _advice("do not", "did not help", advice)
    for label, related in (
        ("comes next", explanation.comes_next),
        ("not to be confused with", explanation.confused_with),
    ):
        if related:
            yield f"{label}: {', '.join(item.record for item in related)}"
    if explanation.also:
        yield f"also matches: {', '.join(explanation.also)}"
    yield f"checked: {explanation.tier}"
    if explanation.url:
        yield f"documentation: {explanation.url}"


def _advice(label: str, verb: str, advice: Advice) -> Iterator[str]:
    shown = advice.shown
    evidence = f"{verb} in {shown.held} of {shown.runs} runs; {join_versions(shown.versions)}" if shown else "not run"
    why = f" Why: {advice.why}" if advice.why else ""
    when = f" When: {advice.condition.rstrip('.。')}." if advice.condition else ""
    cost = f" Cost: {advice.cost.rstrip('.。')}." if advice.cost else ""
    yield f"- {label}: {advice.action} [{evidence}]{why}{when}{cost}"
    yield from _code(advice.how)


def tell_records(found: RecordsFound) -> str:
    if not found.records:
        return _page(
            [f"No record contains all of these words: {found.query}. Try fewer; explain_error takes a message."]
        )
    lines = [f"{len(found.records)} of {count_of(found.total, 'record')}:"]
    lines += [f"- {record.id} ({record.category}, {record.tier}): {record.signature}" for record in found.records]
    return _page([*lines, *_left_out(found.left_out)])


def tell_record(document: str, found: RecordFound) -> str:
    """The record as a document, and what was reported of it."""
    lines: list[str] = [_Block(document[:DOCUMENT].rstrip("\n"))]
    if len(document) > DOCUMENT:
        lines.append(f"… ({DOCUMENT:,} of {len(document):,} characters are shown)")
    if found.outcomes:
        lines += ["", "## Reported outcomes"]
    for outcome in found.outcomes:
        said = " · ".join(filter(None, [outcome.date, outcome.version, outcome.note]))
        lines.append(f"- workaround {outcome.workaround} {_came_of(outcome)} ({said})")
    return _page(lines)


def tell_outcome(outcome: Outcome) -> str:
    what = f"{outcome.record}, workaround {outcome.workaround} {_came_of(outcome)}: {outcome.action}"
    return _page([f"Saved as outcome {outcome.number}: {what}"])


def _came_of(outcome: Outcome) -> str:
    return "worked" if outcome.worked else "did not work"


def _page(lines: Sequence[str]) -> str:
    return "\n".join(line if isinstance(line, _Block) else one_line(line) for line in lines).strip()


def _left_out(lines: Sequence[str]) -> list[str]:
    return ["", "Left out because of its length:", *(f"- {line}" for line in lines)] if lines else []


def _code(code: str | None, language: str = "python") -> list[str]:
    return [_Block(markdown_fence(code, language=language))] if code else []


def _in(functions: Sequence[str]) -> str:
    return f" in {', '.join(functions)}" if functions else ""


def _place(file: str | None, line: int | None) -> str:
    return f"{package_path(file)}:{line}" if file and line else package_path(file) if file else "no source"


def _site(site: SiteCount) -> str:
    via = f" through {package_path(site.via)}" if site.via else ""
    return f"{package_path(site.file)}:{site.line}{via} ({count_of(site.count, 'trace')})"
