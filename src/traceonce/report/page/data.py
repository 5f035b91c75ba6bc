"""What the page knows of a run: plain JSON, made once here, read by all of the page's scripts.

The page draws only what is in this document. Times are seconds since the run began; functions are named by their
number, and what stood in the places of a signature by its number among the texts of its function.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec

from traceonce.causes import CATALOGUE, families
from traceonce.causes.cause_text import say_what
from traceonce.causes.definition import Happened, WrongValueWords
from traceonce.causes.families import Family
from traceonce.facts import (
    Breach,
    CallSite,
    Cause,
    Diagnosis,
    Excerpt,
    Fix,
    FunctionId,
    Proof,
    Recording,
    SiteCount,
    Verdict,
)
from traceonce.facts.attention import is_changed_since, sort_by_attention
from traceonce.facts.error_text import main_line
from traceonce.facts.event import package_path
from traceonce.frameworks.base.registry import dialect_of, package_titles
from traceonce.report.base import Material
from traceonce.report.events import Timed, families_of, timed_events
from traceonce.report.json import describe_cause
from traceonce.report.page.change_grid import ChangeGrid, find_places
from traceonce.report.phrases import chinese, english
from traceonce.report.sentences import compilations, compilations_watched_with, describe_reached, fix_command
from traceonce.version import __version__
from traceonce.words.backticks import in_pairs
from traceonce.words.notes import diagnosis_notes, fix_notes, notice_text, proof_reason
from traceonce.words.notes.diagnoses import TRACES_RAISED
from traceonce.words.translated import LANGUAGES

CALL_EXCERPTS = 3
_NOT_SHOWN = ("differs", "coded_notes", "call_site")  # of a cause: `said` has the first two in words
# What could end the element that holds the JSON, or a line of it, is written as JSON's own escapes.
_ESCAPED = "<>&\u2028\u2029"


def embed_json(document: Any) -> str:
    """A document as JSON that is safe inside a ``<script>`` element."""
    try:
        text = msgspec.json.encode(document).decode()
    except UnicodeEncodeError:  # a file name that is no text
        text = json.dumps(msgspec.to_builtins(document), separators=(",", ":"))
    for mark in _ESCAPED:
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def make_page_data(material: Material) -> dict[str, Any]:
    """All that the page shows of a run."""
    recording = material.recording
    numbers = {(d.backend, d.function.key): number for number, d in enumerate(material.diagnoses)}
    shown: list[list[Timed]] = [[] for _ in material.diagnoses]
    for timed in timed_events(material):
        number = numbers.get((timed.event.backend, timed.event.function.key))
        if number is not None:
            shown[number].append(timed)
    attention = {
        (d.backend, d.function.key): kind
        for kind, sorted_in in sort_by_attention(recording, material.diagnoses)._asdict().items()
        for d in sorted_in
    }
    functions, events = [], []
    for number, (diagnosis, own) in enumerate(zip(material.diagnoses, shown, strict=True)):
        own.sort(key=lambda timed: timed.start)  # runs that happened at the same time are shown in a row
        places = find_places([timed.event.signature for timed in own])
        described = _describe_function(diagnosis, places, own, recording)
        functions.append(described | {"attention": attention[diagnosis.backend, diagnosis.function.key]})
        ordinals: Counter[str] = Counter()
        order = {(cause.code, cause.path): position for position, cause in enumerate(diagnosis.causes)}
        for timed, row in zip(own, places.rows, strict=True):
            causes = sorted(timed.causes, key=lambda cause: order.get((cause.code, cause.path), len(order)))
            events.append(_describe_event(timed._replace(causes=tuple(causes)), number, ordinals, row))
    events.sort(key=lambda event: event["start"])
    for position, event in enumerate(events, 1):
        event["id"] = position
    return {
        "schema": recording.schema,
        "version": __version__,
        "language": material.language,
        "command": recording.command,
        "fix_command": fix_command(recording.command),
        "runs": max(1, len(recording.runs)),
        "exit_code": recording.exit_code,
        "seconds": round(recording.seconds, 6),
        "complete": recording.complete,
        "started": recording.started,
        "environment": recording.environment,
        "error": main_line(recording.error) if recording.error else None,
        "functions": functions,
        "dialects": {backend: _describe_dialect(backend) for backend in {d.backend for d in material.diagnoses}},
        "events": events,
        "refused": list(_describe_refused(recording, numbers)),
        "records": material.records,
        "notices": [
            {language: notice_text(notice, language) for language in LANGUAGES}
            for notice in recording.notices
            if not notice.hook
        ],
    }


def _describe_dialect(backend: str) -> dict[str, Any]:
    """The words of the page that a framework has its own for."""
    return {
        key: {language: text.said_in(language) for language in LANGUAGES}
        for key, text in dialect_of(backend).page.items()
    }


def describe_catalogue() -> dict[str, Any]:
    """What the scripts know of causes: the family, and how values are listed; the legend in its order; packages."""
    shown = (*families.LEGEND, families.INTERNAL)
    return {
        "causes": {
            code.value: {"family": d.family.code, "values": d.values, "read_off": d.read_off}
            for code, d in CATALOGUE.items()
        },
        "families": {family.code: family.name._asdict() for family in shown},
        "legend": [family.code for family in families.LEGEND],
        "titles": package_titles(),
    }


def _describe_event(timed: Timed, number: int, ordinals: Counter[str], row: list[int]) -> dict[str, Any]:
    """One event of function `number`; `ordinals` counts those of each kind so far.

    Its causes come in the order of its function's, the most frequent first, so that a function keeps one colour.
    """
    event, causes, start = timed
    site = event.call_site
    counts = event.phase != "internal"
    ordinals[event.kind] += counts
    return {
        "id": 0,
        "function": number,
        "kind": event.kind,
        "phase": event.phase,
        "ordinal": ordinals[event.kind] if counts else 0,
        "call": event.call,
        "start": round(start, 6),
        "seconds": event.seconds or 0.0,
        "first_run_seconds": event.first_run_seconds,
        "nodes": event.nodes,
        "site": _describe_site(site) if site is not None else None,
        "thread": event.thread,
        "process": event.process,
        "error": main_line(event.error) if event.error else None,
        "families": [family.code for family in families_of(event, causes)],
        "causes": [
            {"code": cause.code, "path": cause.path, "was": cause.was, "now": cause.now, "evidence": cause.evidence}
            for cause in causes
        ],
        "v": row,
    }


def _describe_site(site: CallSite | SiteCount) -> dict[str, Any]:
    return {"file": package_path(site.file), "line": site.line, "via": package_path(site.via) if site.via else None}


def _describe_function(
    diagnosis: Diagnosis, places: ChangeGrid, events: Sequence[Timed], recording: Recording
) -> dict[str, Any]:
    function = diagnosis.function
    own = (diagnosis.backend, function.key)
    breaches = [breach for breach in recording.breaches if (breach.backend, breach.function.key) == own]
    source = _find_source(recording, function)
    return {
        "backend": diagnosis.backend,
        "name": function.name,
        "file": package_path(function.file) if function.file else None,
        "line": function.line,
        "library": function.library,
        "verdict": diagnosis.verdict,
        "alarm": diagnosis.verdict.is_alarm,
        "silent": diagnosis.verdict.is_silent,
        "ignorable": diagnosis.verdict.is_ignorable,
        "family": _family(diagnosis).code,
        "growth": diagnosis.growth,
        "wrong": _describe_wrong(diagnosis),
        "reason": {"en": english.describe_reason(diagnosis), "zh": chinese.describe_reason(diagnosis)},
        **_describe_unit(diagnosis, events),
        "traces": diagnosis.traces,
        "retraces": diagnosis.retraces,
        "internal": diagnosis.internal,
        "failed": diagnosis.failed,
        "calls": diagnosis.calls,
        "calls_at_least": diagnosis.calls_at_least,
        "compiles": diagnosis.compiles,
        "backwards": diagnosis.backwards,
        "seconds": diagnosis.seconds,
        "first_run_seconds": diagnosis.first_run_seconds,
        "lost_seconds": diagnosis.lost_seconds,
        "unclear_seconds": diagnosis.unclear_seconds,
        "costly": diagnosis.costly,
        "needed_seconds": _needed_seconds(events),
        "share": diagnosis.share,
        "bytes": diagnosis.bytes,
        "unwatched": compilations_watched_with(diagnosis),
        "accepted": diagnosis.accepted,
        "notes": _function_notes(diagnosis),
        "compilations": compilations(diagnosis),
        "fell_back": _describe_falling_back(diagnosis),
        "graph_breaks": diagnosis.graph_breaks,
        "limits": _limits(breaches),
        "causes": [
            {
                **{name: value for name, value in describe_cause(cause).items() if name not in _NOT_SHOWN},
                "finite": cause.finite,
                "said": _say_what(cause, diagnosis),
                "remedy": _describe_remedy(cause, diagnosis),
                "alarm": _describe_alarm(cause),
                "changed_since": is_changed_since(cause, diagnosis),
            }
            for cause in diagnosis.causes
        ],
        "call_sites": [{**_describe_site(site), "count": site.count} for site in diagnosis.call_sites],
        "source": _describe_excerpt(source) if source is not None else None,
        "call_excerpts": list(_call_excerpts(diagnosis, source, recording)),
        "places": places.paths,
        "texts": places.texts,
        "constant": places.constant,
        "fixes": [_describe_fix(fix) for fix in diagnosis.fixes],
        "records": diagnosis.records,
    }


def _describe_unit(diagnosis: Diagnosis, events: Sequence[Timed]) -> dict[str, Any]:
    """What its page counts, one by one: traces, or the compilations of a function that is compiled again and again."""
    if diagnosis.verdict is not Verdict.RECOMPILING:
        return {"unit": "trace", "made": diagnosis.traces, "again": diagnosis.retraces}
    again = sum(timed.event.kind == "compile" and timed.event.phase == "retrace" for timed in events)
    return {"unit": "compile", "made": diagnosis.compiles, "again": again}


_FAMILIES = {
    Verdict.STALE: families.SILENT,
    Verdict.CONFUSED: families.SILENT,
    Verdict.FAILED: families.FAILED,
    Verdict.RECOMPILING: families.COMPILE,
    Verdict.OK: families.FIRST,
}


def _family(diagnosis: Diagnosis) -> Family:
    """What a function is coloured by: its verdict, or the cause of most of its traces."""
    first = CATALOGUE[diagnosis.causes[0].code].family if diagnosis.causes else families.FIRST
    return _FAMILIES.get(diagnosis.verdict, first)


def _say_what(cause: Cause, diagnosis: Diagnosis) -> dict[str, str]:
    happened = Happened(cause, diagnosis.backend, traces=diagnosis.traces)
    return {language: say_what(happened, language) for language in LANGUAGES}


def _describe_wrong(diagnosis: Diagnosis) -> dict[str, dict[str, str]] | None:
    """What the first screen says of a function that returns wrong values; the page fills in the name."""
    causes = [cause for cause in diagnosis.causes if CATALOGUE[cause.code].wrong_value is not None]
    if not causes or not diagnosis.verdict.is_silent:
        return None
    words = _wrong_words(causes[0], sure=diagnosis.surely_wrong)
    return {"headline": words.headline._asdict(), "lede": words.lede._asdict()} if words is not None else None


def _describe_alarm(cause: Cause) -> dict[str, str] | None:
    """The same in a line, of a cause that decides a verdict; the page fills in the name, the place and the values."""
    words = _wrong_words(cause, sure=cause.evidence == "measured")
    return words.alarm._asdict() if words is not None and not cause.note else None


def _wrong_words(cause: Cause, *, sure: bool) -> WrongValueWords | None:
    wrong = CATALOGUE[cause.code].wrong_value
    if wrong is None:
        return None
    return wrong.words if sure or wrong.unsure is None else wrong.unsure


def _describe_remedy(cause: Cause, diagnosis: Diagnosis) -> dict[str, str]:
    return _sentences(english.describe_remedy(cause, diagnosis), chinese.describe_remedy(cause, diagnosis))


def _describe_falling_back(diagnosis: Diagnosis) -> dict[str, str] | None:
    """From which call on it is no longer compiled, and what a call costs then."""
    fell_back = diagnosis.fell_back
    if fell_back is None:
        return None
    return _sentences(english.describe_eager_calls(fell_back), chinese.describe_eager_calls(fell_back))


def _sentences(words: str, in_chinese: str) -> dict[str, str]:
    """The same in both languages of the page, each as a sentence of its own."""
    return {"en": f"{words[0].upper()}{words[1:]}.", "zh": f"{in_chinese}。"}


def _function_notes(diagnosis: Diagnosis) -> dict[str, list[str]]:
    """All but the one about errors, which the page lists with their counts, each once."""
    errors = {index for index, note in enumerate(diagnosis.coded_notes) if note.code == TRACES_RAISED.code}

    def others(notes: Sequence[str]) -> list[str]:
        return [note for index, note in enumerate(notes) if index not in errors]

    return _notes(others(diagnosis_notes(diagnosis, "en")), others(diagnosis_notes(diagnosis, "zh")))


def _notes(notes: Sequence[str], in_chinese: Sequence[str]) -> dict[str, list[str]]:
    """What to know, in both languages, with code between backticks."""
    return {"en": [in_pairs(note) for note in notes], "zh": [in_pairs(note) for note in in_chinese]}


def _needed_seconds(own: Sequence[Timed]) -> float:
    """What no repair can save: first traces and what the framework did for itself, each with its first run."""
    ran = {timed.event.id for timed in own if timed.event.first_run_seconds}
    total = 0.0
    for timed in own:
        event = timed.event
        if event.phase not in ("first", "internal") or (event.kind == "compile" and event.parent in ran):
            continue  # a graph is compiled in its first run, which is counted with its trace
        traced = event.seconds if event.exclusive_seconds is None else event.exclusive_seconds
        total += (traced or 0.0) + event.lost_in_first_run
    return round(total, 6)


def _limits(breaches: Sequence[Breach]) -> dict[str, list[str]]:
    return {"en": list(describe_reached(breaches)), "zh": list(chinese.describe_reached(breaches))}


def _describe_refused(recording: Recording, known: Container[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Functions that were allowed no trace at all, and so have no diagnosis."""
    breaches: dict[tuple[str, str], list[Breach]] = {}
    for breach in recording.breaches:
        breaches.setdefault((breach.backend, breach.function.key), []).append(breach)
    for key, own in breaches.items():
        if key not in known:
            yield {"name": own[0].function.name, "limits": _limits(own)}


def _find_source(recording: Recording, function: FunctionId) -> Excerpt | None:
    """The lines of a function; those of the function around it, where that is all there is."""
    holding = [excerpt for excerpt in recording.excerpts if excerpt.holds(function.file, function.line)]
    return min(holding, key=lambda excerpt: excerpt.start != function.line, default=None)


def _find_call(recording: Recording, site: SiteCount) -> Excerpt | None:
    """The lines that have a call nearest to their middle."""
    holding = [excerpt for excerpt in recording.excerpts if excerpt.holds(site.file, site.line)]
    return min(holding, key=lambda found: abs(2 * (site.line - found.start) - len(found.lines) + 1), default=None)


def _describe_excerpt(excerpt: Excerpt) -> dict[str, Any]:
    return {"file": package_path(excerpt.file), "start": excerpt.start, "lines": excerpt.lines}


def _call_excerpts(diagnosis: Diagnosis, source: Excerpt | None, recording: Recording) -> Iterator[dict[str, Any]]:
    """The lines around the first few call sites; a site inside lines that are shown needs none of its own."""
    shown = [source] if source is not None else []
    for site in diagnosis.call_sites[:CALL_EXCERPTS]:
        excerpt = _find_call(recording, site)
        if excerpt is not None and not any(other.holds(site.file, site.line) for other in shown):
            shown.append(excerpt)
            yield {**_describe_excerpt(excerpt), "line": site.line}


def _describe_fix(fix: Fix) -> dict[str, Any]:
    return {
        "recipe": fix.recipe,
        "safety": fix.safety,
        "predicted_traces": fix.predicted_traces,
        "snippet": fix.snippet,
        "diff": fix.diff,
        "notes": _notes(fix_notes(fix, "en"), fix_notes(fix, "zh")),
        "wider": fix.wider,
        "proof": _describe_proof(fix.proof) if fix.proof is not None else None,
    }


def _describe_proof(proof: Proof) -> dict[str, Any]:
    return {
        "verdict": proof.verdict,
        "reason": {"en": proof_reason(proof, "en"), "zh": proof_reason(proof, "zh")},
        "outputs_equal": proof.outputs_equal,
        "compared": proof.compared,
        "tolerance": proof.tolerance,
        "measure": proof.measure,
        "speedup": proof.speedup,
        "before": proof.before,
        "after": proof.after,
    }
