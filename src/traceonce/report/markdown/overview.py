"""What is said of the run as a whole: the headline and the table before the functions, what is left after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import Breach, Diagnosis, Verdict
from traceonce.facts.attention import changed_since, first_and_costly, sort_by_attention
from traceonce.facts.error_text import main_line
from traceonce.report.base import Material
from traceonce.report.markdown.escape import cell, code, prose
from traceonce.report.phrases import Phrases
from traceonce.version import __version__
from traceonce.words.notes import cause_note, notice_text

ROWS = 50
PLACES = 3  # named in a row
NOTICES = 10


def describe_findings(material: Material, phrases: Phrases) -> Iterator[str]:
    """The headline, what it cost, the limits that were reached, and the functions in a table."""
    recording, diagnoses = material.recording, material.diagnoses
    attention = sort_by_attention(recording, diagnoses)
    acute = attention.alarms
    colon = phrases.LABELS.colon
    if acute:
        yield f"## traceonce{colon}{code(acute[0].function.name)} {phrases.what_happened(acute[0])}"
    elif attention.named:
        yield f"## traceonce{colon}{phrases.no_alarm(len(attention.avoidable), len(attention.costly))}"
    else:
        yield f"## traceonce{colon}{phrases.nothing_to_fix(len(diagnoses))}"
    lost = sum(diagnosis.lost_seconds for diagnosis in diagnoses)
    share = lost / recording.seconds if recording.complete and recording.seconds > 0 else None
    parts = [f"**{phrases.lost(lost, share)}**"] if lost >= 0.001 else []
    if diagnoses:
        parts.append(phrases.counted(len(diagnoses), sum(diagnosis.traces for diagnosis in diagnoses)))
    if acute:
        parts.append(phrases.to_look_at(len(acute)))
    if parts:
        yield " · ".join(parts)
    if recording.breaches:
        yield "\n".join(_limits(recording.breaches, phrases))
    if attention.named:
        yield "\n".join(_table(attention.named, phrases))


def describe_rest(material: Material, phrases: Phrases) -> Iterator[str]:
    """What may be worth a look, and what can be ignored."""
    quiet = sort_by_attention(material.recording, material.diagnoses).quiet
    changed = [
        f"- {code(diagnosis.function.name)}{phrases.LABELS.colon}{code(cause.path)} "
        f"{code(f'{cause.was} → {cause.now}')} {prose(cause_note(cause, material.language) or '')}".rstrip()
        for diagnosis, cause in changed_since(material.diagnoses)
    ]
    if changed:
        yield "\n".join([f"**{phrases.LABELS.worth_a_look}**", "", *changed])
    bounded = [diagnosis for diagnosis in quiet if diagnosis.verdict is Verdict.BOUNDED]
    if bounded:
        yield _folded(f"{phrases.LABELS.the_rest} ({len(bounded):,})", _table(bounded, phrases, reasons=True))


def describe_run(material: Material, phrases: Phrases) -> Iterator[str]:
    """What was run, with what, and what the reader must know of it."""
    recording, labels = material.recording, phrases.LABELS
    lines = [f"- traceonce {__version__}"]
    if recording.command:
        lines.append(f"- {labels.program}{labels.colon}{code(' '.join(recording.command))}")
    if recording.environment:
        lines.append("- " + code(", ".join(f"{name} {value}" for name, value in recording.environment.items())))
    if recording.seconds > 0:
        lines.append(f"- {phrases.duration(recording.seconds)}")
    if recording.error:
        lines.append(f"- {labels.ended_with}{labels.colon}{code(main_line(recording.error))}")
    notices = [notice_text(notice, material.language) for notice in recording.notices if not notice.hook]
    lines += [f"- {labels.note}{labels.colon}{prose(text)}" for text in notices[:NOTICES]]
    yield _folded(labels.the_run, lines)


def _limits(breaches: Sequence[Breach], phrases: Phrases) -> Iterator[str]:
    same: dict[tuple[str, str, bool], list[Breach]] = {}
    for breach in breaches:
        same.setdefault((breach.function.key, breach.limit.describe(), breach.refused), []).append(breach)
    for group in list(same.values())[:ROWS]:
        yield f"- {code(group[0].function.name)} {phrases.limit_reached(group[0], len(group))}"


def _table(diagnoses: Sequence[Diagnosis], phrases: Phrases, *, reasons: bool = False) -> Iterator[str]:
    """A row for each function. `reasons` say why it can be ignored."""
    labels = phrases.LABELS
    yield _row(labels.function, labels.verdict, labels.traces, labels.calls, labels.lost, labels.why)
    yield _row(":--", ":--", "--:", "--:", "--:", ":--")
    shown = first_and_costly(diagnoses, ROWS)
    for diagnosis in shown:
        lost = phrases.duration(diagnosis.lost_seconds) if diagnosis.lost_seconds else ""
        part = f" ({phrases.percent(diagnosis.share)})" if lost and diagnosis.share else ""
        paths = dict.fromkeys(cause.path for cause in diagnosis.causes)
        why = ", ".join(map(cell, list(paths)[:PLACES])) + (" …" if len(paths) > PLACES else "")
        if reasons:
            why = labels.colon.join(filter(None, [why, phrases.describe_reason(diagnosis)]))
        yield _row(
            cell(diagnosis.function.name),
            phrases.VERDICTS[diagnosis.verdict] + (f"{labels.comma}{labels.costly}" if diagnosis.costly else ""),
            f"{diagnosis.traces:,}",
            phrases.calls(diagnosis),
            lost + part,
            why,
        )
    if len(diagnoses) > len(shown):
        yield _row(f"… {len(diagnoses) - len(shown):,}", "", "", "", "", "")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _folded(title: str, lines: Iterator[str] | list[str]) -> str:
    body = "\n".join(lines)
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"
