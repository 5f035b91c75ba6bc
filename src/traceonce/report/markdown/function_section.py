"""One function that needs looking at: what happened, where, why, and what to change."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Cause, Diagnosis, Fix
from traceonce.facts.command_line import quoted
from traceonce.facts.event import package_path
from traceonce.report.markdown.escape import block, code, html_code, prose, sentence
from traceonce.report.phrases import Phrases
from traceonce.report.sentences import causes_left, describe_place, fixes_to_show, is_last_resort

CAUSES = 8
RECORDS = 3
LINES = 120  # of a diff, or of a snippet


def describe_function(diagnosis: Diagnosis, phrases: Phrases, command: str | None, *, folded: bool) -> str:
    """A section, or, `folded`, a line that opens into one."""
    name, happened = diagnosis.function.name, phrases.what_happened(diagnosis)
    parts = [
        " · ".join([*_costs(diagnosis, phrases), _where(diagnosis, phrases)]),
        "\n".join(_causes(diagnosis, phrases)),
        *_facts(diagnosis, phrases),
        *_changes(diagnosis, phrases, command),
    ]
    body = "\n\n".join(part for part in parts if part)
    if not folded:
        return f"### {code(name)} {happened}\n\n{body}"
    return f"<details>\n<summary>{html_code(name)} {happened}</summary>\n\n{body}\n\n</details>"


def _costs(diagnosis: Diagnosis, phrases: Phrases) -> Iterator[str]:
    accepted = phrases.accepted(diagnosis)
    if accepted:
        yield accepted
    if diagnosis.lost_seconds >= 0.001:
        yield phrases.lost(diagnosis.lost_seconds, diagnosis.share)
    if diagnosis.retraces and diagnosis.bytes:
        yield phrases.kept(diagnosis.bytes)


def _where(diagnosis: Diagnosis, phrases: Phrases) -> str:
    place = code(describe_place(diagnosis.function, diagnosis.backend, diagnosis.made_at))
    if not diagnosis.call_sites:
        return place
    site, others = diagnosis.call_sites[0], len(diagnosis.call_sites) - 1
    call = code(f"{package_path(site.file)}:{site.line}{phrases.through(site)}")
    more = phrases.other_lines(others) if others else ""
    return f"{place}{phrases.LABELS.comma}{phrases.LABELS.called_from} {call}{more}"


def _causes(diagnosis: Diagnosis, phrases: Phrases) -> Iterator[str]:
    colon = phrases.LABELS.colon
    for cause in diagnosis.causes[:CAUSES]:
        values = phrases.describe_values(cause)
        shown = f"{colon}{code(values)}" if values else ""
        words = prose(phrases.describe_cause(cause, diagnosis.traces, diagnosis.backend))
        yield f"- {code(cause.path)}{colon}{words}{shown}"
    if len(diagnosis.causes) > CAUSES:
        yield f"- … {len(diagnosis.causes) - CAUSES:,}"


def _facts(diagnosis: Diagnosis, phrases: Phrases) -> Iterator[str]:
    """What calls cost that are not compiled any more, and where the graph is cut."""
    labels = phrases.LABELS
    if diagnosis.fell_back is not None:
        yield f"**{labels.eager}**{labels.colon}{prose(phrases.describe_eager_calls(diagnosis.fell_back))}"
    if diagnosis.graph_breaks:
        yield f"**{labels.breaks}**{labels.colon}{prose(phrases.describe_breaks(diagnosis.graph_breaks))}"


def _changes(diagnosis: Diagnosis, phrases: Phrases, command: str | None) -> Iterator[str]:
    """The fixes, what to do about causes that none of them treats, and what else there is to know."""
    labels = phrases.LABELS
    fixes = sorted(fixes_to_show(diagnosis), key=is_last_resort)
    for fix in fixes:
        yield from _fix(fix, diagnosis, phrases, command)
    remedies: dict[str, list[Cause]] = {}
    for cause in causes_left(diagnosis)[:CAUSES]:
        remedies.setdefault(phrases.describe_remedy(cause, diagnosis), []).append(cause)
    for remedy, causes in remedies.items():
        places = ", ".join(dict.fromkeys(code(cause.path) for cause in causes))
        yield f"**{labels.change}** ({places}){labels.colon}{prose(remedy)}"
    for note in phrases.describe_notes(diagnosis):
        yield f"**{labels.note}**{labels.colon}{sentence(note)}"
    if diagnosis.records:
        known = quoted(["traceonce", "explain", *diagnosis.records[:RECORDS]])
        yield f"**{labels.known}**{labels.colon}{code(known)}"


def _fix(fix: Fix, diagnosis: Diagnosis, phrases: Phrases, command: str | None) -> Iterator[str]:
    """Its diff, where it was written, else its code; and in words what may be expected of it. Nobody is to copy what
    was refuted."""
    labels = phrases.LABELS
    title = labels.advice if fix.safety == "advice" else labels.fix
    first, *rest = phrases.describe_fix(fix, diagnosis, command, marked=True)
    if fix.proof is not None and fix.proof.verdict == "refuted":
        yield f"**{title}** ({code(fix.recipe)}){labels.colon}{prose(first)}"
        return
    yield f"**{title}**{labels.colon}{prose(first)}"
    snippet = fix.snippet or "", "markdown" if fix.is_report else "python"
    text, language = (fix.diff, "diff") if fix.diff else snippet
    lines = text.strip("\n").split("\n")
    shown = lines if len(lines) <= LINES or fix.is_report else [*lines[: LINES - 1], f"… ({len(lines)} lines)"]
    if text:
        yield block("\n".join(shown), language)
    yield from map(sentence, rest)
