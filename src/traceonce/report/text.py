"""The report for people at a terminal: what happened, where, what it cost, why, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from traceonce.facts import Breach, Cause, Diagnosis, Fix, Recording, Verdict
from traceonce.facts.attention import Attention, changed_since, first_and_costly, sort_by_attention
from traceonce.facts.command_line import quoted
from traceonce.facts.event import package_path
from traceonce.facts.printable import SENTENCE, cut, printable
from traceonce.facts.quantities import count_of, duration, percent, size
from traceonce.frameworks.base.registry import dialect_of
from traceonce.report.base import Material
from traceonce.report.sentences import (
    causes_left,
    compilations_watched_with,
    describe_breaks,
    describe_cause,
    describe_eager_calls,
    describe_fix,
    describe_name,
    describe_place,
    describe_reached,
    describe_reason,
    describe_remedy,
    describe_site,
    describe_traces,
    describe_values,
    fix_command,
    fixes_to_show,
    in_calls,
    is_last_resort,
    lines_to_show,
)
from traceonce.report.terminal import print_line, safe_line
from traceonce.report.together import bring_together
from traceonce.words.notes import cause_note

STYLES = {
    Verdict.RETRACING: "bold red",
    Verdict.RECOMPILING: "bold red",
    Verdict.FELL_BACK: "bold red",
    Verdict.FAILED: "bold red",
    Verdict.STALE: "bold magenta",
    Verdict.CONFUSED: "bold magenta",
    Verdict.AVOIDABLE: "yellow",
    Verdict.BOUNDED: "cyan",
    Verdict.OK: "green",
}
CAUSES = 8  # shown per function
RECORDS = 3  # named per function
FUNCTIONS = 50  # told in full, the worst first
LINES = 30  # of a list
SNIPPET = 16  # lines of a fix that are shown
AVOIDABLE = "Avoidable, though bounded:"
COSTLY = "Bounded, but costly:"


def render_text(material: Material) -> str:
    return "\n".join(line.plain for line in report_lines(material.recording, material.diagnoses)) + "\n"


def print_text(recording: Recording, diagnoses: Sequence[Diagnosis], console: Console) -> None:
    """Print in colour where the console is a terminal (and NO_COLOR is not set), plainly elsewhere."""
    for line in report_lines(recording, diagnoses):
        print_line(console, line)


def report_lines(recording: Recording, diagnoses: Sequence[Diagnosis]) -> Iterator[Text]:
    """The report in lines that are safe to print."""
    told = msgspec.structs.replace(
        recording, breaches=printable(recording.breaches), notices=printable(recording.notices)
    )
    return map(safe_line, _lines(told, printable(list(diagnoses))))


def _lines(recording: Recording, diagnoses: Sequence[Diagnosis]) -> Iterator[Text]:
    yield _headline(recording, diagnoses)
    yield from _first(LINES, list(_limits(recording)), "limits that were reached")
    attention = sort_by_attention(recording, diagnoses)
    command = fix_command(recording.command)
    for title, functions in (("", attention.alarms), (AVOIDABLE, attention.avoidable), (COSTLY, attention.costly)):
        if functions and title:
            yield Text()
            yield Text(title, "yellow")
        together = bring_together(functions)
        for head, parts in together[:FUNCTIONS]:
            yield Text()
            yield from _function_lines(head, command)
            yield from _parts(parts)
        left_out = [diagnosis for head, parts in together[FUNCTIONS:] for diagnosis in (head, *parts)]
        costly = [diagnosis for diagnosis in left_out if diagnosis.costly]
        if costly:
            yield Text()
            yield from map(_in_a_line, costly)
        more = sum(not any(part.costly for part in (head, *parts)) for head, parts in together[FUNCTIONS:])
        yield from _more(more, "functions to look at")
    yield from _worth_a_look(diagnoses)
    quiet = attention.quiet
    bounded = [diagnosis for diagnosis in quiet if diagnosis.verdict is Verdict.BOUNDED]
    if bounded:
        yield Text()
        yield Text("You can ignore these:", "dim")
        lines = bring_together(bounded)
        for head, parts in lines[:LINES]:
            yield from _bounded(head)
            yield from _parts(parts)
        yield from _more(len(lines) - LINES, "functions")
    broken = [
        Text.assemble(("note  ", "yellow"), f"{d.function.name} has {describe_breaks(d.graph_breaks)}")
        for d in quiet
        if d.verdict is Verdict.OK and d.graph_breaks
    ]
    yield from _first(LINES, broken, "functions with graph breaks")
    unwatched: dict[str, list[str]] = {}
    for d in diagnoses:
        if (option := compilations_watched_with(d)) is not None:
            unwatched.setdefault(option, []).append(d.function.name)
    for option, names in unwatched.items():
        text = f"jit_compile: compilations were not watched and may add to this (traceonce run {option}): "
        yield Text.assemble(("note  ", "yellow"), text, ", ".join(names[:5]))
    problems = [notice.text for notice in recording.notices if not notice.hook]
    if problems:
        yield Text()
        for text in problems:
            yield Text.assemble(("note  ", "yellow"), text)


def _parts(parts: Sequence[Diagnosis]) -> Iterator[Text]:
    """What was compiled under the same line of the user's, a line each."""
    if not parts:
        return
    traces = sum(diagnosis.traces for diagnosis in parts)
    yield Text(f"  inside: {count_of(len(parts), 'more function')}, {count_of(traces, 'trace')}", "dim")
    shown = first_and_costly(parts, CAUSES)
    yield from map(_in_a_line, shown)
    if len(parts) > len(shown):
        yield Text(f"    … and {len(parts) - len(shown):,} more (--format html or json has all)", "dim")


def _in_a_line(diagnosis: Diagnosis) -> Text:
    what = describe_traces(diagnosis) if diagnosis.retraces else count_of(diagnosis.traces, "trace")
    causes = ", ".join(dict.fromkeys(cause.path for cause in diagnosis.causes[:3]))
    cost = "".join(f" · {part}" for part in _times(diagnosis))
    place = f"{package_path(diagnosis.function.file or '?')}:{diagnosis.function.line}"
    why = f" ({causes})" if causes else ""
    return Text(f"    {diagnosis.function.name}  {what}{why}{cost} · {place}", "dim")


def _first(most: int, lines: Sequence[Text], what: str) -> Iterator[Text]:
    yield from lines[:most]
    yield from _more(len(lines) - most, what)


def _more(left_out: int, what: str) -> Iterator[Text]:
    """Every list has an end, and says what it left out."""
    if left_out > 0:
        yield Text(f"  … and {left_out:,} more {what} (--format html or json has all)", "dim")


def _limits(recording: Recording) -> Iterator[Text]:
    """The limits that were reached: how often, and what the program got."""
    by_name: dict[str, list[Breach]] = {}
    for breach in recording.breaches:
        by_name.setdefault(breach.function.name, []).append(breach)
    for name, breaches in by_name.items():
        for reached in describe_reached(breaches):
            yield Text.assemble(("limit  ", "bold red"), f"{name} has reached its limit of {reached}")


def _worth_a_look(diagnoses: Sequence[Diagnosis]) -> Iterator[Text]:
    """Outside values that have changed since the trace, of functions that are fine otherwise."""
    lines = [
        f"  {d.function.name}  {cause.path} was {cause.was} when traced and is {cause.now} now; "
        f"{cause_note(cause, 'en')} · {describe_place(d.function, d.backend)}"
        for d, cause in changed_since(diagnoses)
    ]
    if lines:
        yield Text()
        yield Text("Worth a look:", "yellow")
        yield from _first(LINES, list(map(Text, lines)), "values")
        records = dict.fromkeys(id_ for d, _ in changed_since(diagnoses) for id_ in d.records if "/stale" in id_)
        more = f": {_explain(list(records))}" if records else ""
        yield Text(f"    a call after the change uses the old value{more}")


def _headline(recording: Recording, diagnoses: Sequence[Diagnosis]) -> Text:
    line = Text("traceonce  ", "bold")
    traces = sum(diagnosis.traces for diagnosis in diagnoses)
    attention = sort_by_attention(recording, diagnoses)
    if not diagnoses:
        return line.append("no function was traced", "default")
    counted = f"{count_of(len(diagnoses), 'function')}, {count_of(traces, 'trace')}"
    lost = sum(diagnosis.lost_seconds for diagnosis in diagnoses)
    if not attention.named:
        changed = len(list(changed_since(diagnoses)))
        verdict = f"nothing is traced too often, {count_of(changed, 'value')} worth a look"
        line.append(f"{counted}: {verdict if changed else 'nothing to fix'}", "green")
        return line.append(f"; {_cost(lost, recording)} went into retraces" if lost >= 0.01 else "", "default")
    line.append(f"{counted} · ", "default")
    if lost >= 0.001:
        line.append(f"{_cost(lost, recording)} lost", "bold red" if lost >= 0.01 else "default").append(
            " · ", "default"
        )
    return line.append(", ".join(_numbers(attention)), "default")


def _numbers(attention: Attention) -> Iterator[str]:
    if attention.alarms:
        yield f"{count_of(len(attention.alarms), 'function')} to look at"
    for word, functions in (("avoidable", attention.avoidable), ("costly", attention.costly)):
        if functions:
            yield f"{len(functions):,} {word}" if attention.alarms else f"{count_of(len(functions), 'function')} {word}"


def function_lines(diagnosis: Diagnosis, command: str | None) -> Iterator[Text]:
    """A function that needs looking at: its title, its causes, what to change. `command` tries and proves a fix."""
    return map(safe_line, _function_lines(printable(diagnosis), command))


def _function_lines(diagnosis: Diagnosis, command: str | None) -> Iterator[Text]:
    yield _title(diagnosis)
    width = min(max([6, *(len(cause.path) for cause in diagnosis.causes[:CAUSES])]), 36)
    descriptions = [describe_cause(cause, diagnosis.traces, diagnosis.backend) for cause in diagnosis.causes[:CAUSES]]
    middle = min(max(map(len, descriptions), default=0), 46)
    for cause, words in zip(diagnosis.causes, descriptions, strict=False):
        line = Text("  ").append(cause.path.ljust(width), "yellow").append("   ").append(words.ljust(middle))
        values = describe_values(cause)
        line = line.append(f"   {values}", "dim") if values else line
        elsewhere = cause.call_site if _is_elsewhere(cause, diagnosis) else None
        yield line.append(f"   at {describe_site(elsewhere)}", "dim") if elsewhere is not None else line
    if len(diagnosis.causes) > CAUSES:
        yield Text(f"  … and {len(diagnosis.causes) - CAUSES} more places (see --format json)", "dim")
    label = width
    if not diagnosis.verdict.is_alarm and diagnosis.retraces:
        yield Text("  ").append("why".ljust(label), "yellow").append(f"   {describe_reason(diagnosis)}")
    for title, text in _facts(diagnosis):
        yield Text("  ").append(title.ljust(label), "yellow").append(f"   {text}")
    fixes = fixes_to_show(diagnosis)
    for fix in fixes:
        if not is_last_resort(fix):
            yield from _fix_lines(fix, diagnosis, command, label)
    for remedy in _remedies(diagnosis):
        yield Text("  ").append("change".ljust(label), "green").append(f"   {remedy}")
    for fix in fixes:
        if is_last_resort(fix):
            yield from _fix_lines(fix, diagnosis, command, label)
    for note in diagnosis.notes:
        yield Text("  ").append("note".ljust(label), "dim").append(f"   {note}", "dim")
    if diagnosis.records:
        yield Text("  ").append("known".ljust(label), "dim").append(f"   {_known(diagnosis)}", "dim")


def _is_elsewhere(cause: Cause, diagnosis: Diagnosis) -> bool:
    """Is its line another than the one that the title names?"""
    site, named = cause.call_site, diagnosis.call_sites[:1]
    return site is not None and bool(named) and (site.file, site.line) != (named[0].file, named[0].line)


def _facts(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """What is no cause, but must be known: what calls cost that are not compiled, and where the graph is cut."""
    if diagnosis.fell_back is not None:
        yield "eager", describe_eager_calls(diagnosis.fell_back)
    if diagnosis.graph_breaks:
        yield "breaks", describe_breaks(diagnosis.graph_breaks)


def _fix_lines(fix: Fix, diagnosis: Diagnosis, command: str | None, label: int) -> Iterator[Text]:
    """A repair: its code, and in words what may be expected of it."""
    code = [cut(line, SENTENCE) for line in lines_to_show(fix)]  # without empty lines: one ends a message in a log
    shown = code if len(code) <= SNIPPET else [*code[: SNIPPET - 1], "… (all of it: --format json)"]
    words = describe_fix(fix, diagnosis, command) if fix.snippet and not fix.is_report else ()
    title = "advice" if fix.safety == "advice" else "fix"
    for number, line in enumerate(shown):
        yield Text("  ").append(("" if number else title).ljust(label), "green").append(f"   {line}")
    for line in words:
        yield Text("  " + " " * label + f"   {line}", "dim")


def _known(diagnosis: Diagnosis) -> str:
    """Where to read more; the name is also what a search through logs finds."""
    return _explain(diagnosis.records[:RECORDS])


def _explain(records: Sequence[str]) -> str:
    return quoted(["traceonce", "explain", *records])


def _remedies(diagnosis: Diagnosis) -> list[str]:
    """What to change where no fix does, each with the places that it is for, unless it is all there is to say."""
    remedies: dict[str, list[str]] = {}
    for cause in causes_left(diagnosis)[:CAUSES]:
        remedies.setdefault(describe_remedy(cause, diagnosis), []).append(cause.path)
    if len(remedies) == 1 and not fixes_to_show(diagnosis) and not diagnosis.dealt_with:
        return list(remedies)
    return [f"{', '.join(dict.fromkeys(paths))}: {remedy}" for remedy, paths in remedies.items()][:4]


def _title(diagnosis: Diagnosis) -> Text:
    line = Text().append(describe_name(diagnosis), STYLES[diagnosis.verdict]).append("  ")
    judged = {None: [], True: ["accepted by the baseline"], False: ["worse than the baseline accepts"]}
    accepted = judged[diagnosis.accepted]
    line.append(" · ".join([_what_happened(diagnosis), *accepted, *_costs(diagnosis), _where(diagnosis)]))
    return line


def _what_happened(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict is Verdict.FAILED:
        return f"tracing raised {count_of(diagnosis.failed, 'time')} ({count_of(diagnosis.traces, 'trace')} succeeded)"
    if diagnosis.verdict.is_silent:
        return f"{'silently wrong' if diagnosis.surely_wrong else 'possibly wrong'}: {describe_reason(diagnosis)}"
    return describe_traces(diagnosis)


def _times(diagnosis: Diagnosis, share: str = "") -> Iterator[str]:
    """What was lost, and what more may have been where that is what counts."""
    if diagnosis.lost_seconds >= 0.001:
        yield f"{duration(diagnosis.lost_seconds)} lost{share}"
    if diagnosis.costly and diagnosis.unclear_seconds > diagnosis.lost_seconds:
        yield f"{duration(diagnosis.unclear_seconds)} unclear"


def _costs(diagnosis: Diagnosis) -> list[str]:
    parts = list(_times(diagnosis, f" ({percent(diagnosis.share)} of the run)" if diagnosis.share is not None else ""))
    if diagnosis.retraces and diagnosis.bytes:
        parts.append(f"{size(diagnosis.bytes)} kept")
    return parts


def _where(diagnosis: Diagnosis) -> str:
    place = describe_place(diagnosis.function, diagnosis.backend, diagnosis.made_at)
    if not diagnosis.call_sites:
        return place
    others = len(diagnosis.call_sites) - 1
    more = f" and {count_of(others, 'other line')}" if others else ""
    return f"{place}, called from {describe_site(diagnosis.call_sites[0])}{more}"


def _bounded(diagnosis: Diagnosis) -> Iterator[Text]:
    line = Text("  ").append(describe_name(diagnosis), STYLES[Verdict.BOUNDED])
    calls = in_calls(diagnosis.calls, diagnosis.calls_at_least)
    traces = count_of(diagnosis.traces, dialect_of(diagnosis.backend).trace.en)
    places = ", ".join(dict.fromkeys(cause.path for cause in diagnosis.causes[:3]))
    cost = f" · {duration(diagnosis.lost_seconds)}" if diagnosis.lost_seconds else ""
    yield line.append(
        f"  {traces}{calls}{cost} · {describe_reason(diagnosis)} ({places}) · {_where(diagnosis)}",
        "dim",
    )
    for note in (*diagnosis.notes, *(text for _, text in _facts(diagnosis))):
        yield Text(f"    {note}", "dim")
    if diagnosis.records:
        yield Text(f"    {_known(diagnosis)}", "dim")


def _cost(seconds: float, recording: Recording) -> str:
    if not recording.complete or recording.seconds <= 0:
        return duration(seconds)
    return f"{duration(seconds)} ({percent(seconds / recording.seconds)} of the run)"
