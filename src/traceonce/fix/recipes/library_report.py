"""A cause inside a library: what its caller can do, and a report for those who maintain it. Never an edit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from traceonce.causes import CATALOGUE
from traceonce.causes.cause_text import say_reason
from traceonce.facts import Cause, CauseCode, Diagnosis, Note, Verdict
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of, duration
from traceonce.fix.candidate import KEPT, Candidate, Effect, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.kit import kit_of
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.frameworks.base.registry import framework_of
from traceonce.words.notes.common import (
    CAUSE_IN_LIBRARY,
    DATASET_TRACES_ANEW,
    LIBRARY_KEYS_ON_OBJECT,
    LIBRARY_OBJECTS_DIFFER,
    LIBRARY_TRACES_PER_OBJECT,
    MODEL_TRACES_ANEW,
)

UNKNOWN = "the library"  # where no path tells which


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.verdict.is_ignorable or diagnosis.verdict is Verdict.FAILED:
        return
    kit = kit_of(diagnosis.backend)
    given = kit.caller_causes(diagnosis)
    users = CauseCode.SIDE_EFFECT  # found in the user's source, whoever calls that
    blamed = [cause for cause in diagnosis.causes if cause not in given and cause.code is not users]
    if diagnosis.call_sites:
        if diagnosis.function.library and blamed:
            yield from _reuse(case)
        yield from kit.advise_caller(case)
    if not diagnosis.function.library or not blamed:
        return
    codes = tuple(dict.fromkeys(cause.code for cause in blamed))
    yield Candidate(
        "library_report",
        "advice",
        codes,
        None,
        None,
        _write_report(case),
        (CAUSE_IN_LIBRARY(library=library_name(diagnosis)),),
    )


def advise(
    code: CauseCode, traces: int | None, snippet: str, *notes: Note, effects: frozenset[Effect] = frozenset()
) -> Candidate:
    """Something that the caller of a library can do."""
    return Candidate("library_report", "advice", (code,), None, traces, snippet, notes, effects=effects)


def _reuse(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    for cause in diagnosis.causes:
        definition = CATALOGUE[cause.code]
        if definition.anew == "function" and definition.tells_of_objects:  # of what it captures, the size differs
            traces = predict_traces(case.events, one_object=True) if not cause.differs else None
            if diagnosis.function.name.endswith("[dataset]"):
                snippet = f"dataset = …  # built once, before {site_of(diagnosis)}, and used again there"
                notes = [DATASET_TRACES_ANEW()]
            elif library_of(diagnosis) in framework_of(diagnosis.backend).per_model:
                snippet = f"# before {site_of(diagnosis)}: build and compile the model once, and keep it"
                notes = [MODEL_TRACES_ANEW()]
            else:
                snippet = (
                    f"# before {site_of(diagnosis)}: create the object from there once (a model, a layer), and keep it"
                )
                notes = [LIBRARY_TRACES_PER_OBJECT(library=library_name(diagnosis))]
            if cause.differs:
                notes.append(LIBRARY_OBJECTS_DIFFER(names=cause.differs))
            yield advise(cause.code, traces, snippet, *notes, effects=KEPT)
        elif definition.anew == "argument":
            what = cause.type_name or "object"
            snippet = (
                f"kept = …  # the {what} for {cause.path}: created once, before {site_of(diagnosis)}, and passed "
                "each time"
            )
            note = LIBRARY_KEYS_ON_OBJECT(library=library_name(diagnosis))
            yield advise(cause.code, None, snippet, note, effects=frozenset({Effect("kept", cause.path)}))


def _write_report(case: Case) -> str:
    """What the maintainers of a library need to know, as Markdown, without a path of the user's machine."""
    diagnosis = case.diagnosis
    name = diagnosis.function.name
    calls = f" in {count_of(diagnosis.calls, 'call')}" if diagnosis.calls else ""
    line = f":{diagnosis.function.line}" if diagnosis.function.line else ""
    place = f"`{package_path(diagnosis.function.file)}{line}`" if diagnosis.function.file else "no source"
    versions = [f"{package} {version}" for package, version in case.environment.items()]
    return "\n".join(
        [
            f"## {_title(case)}: `{name}` retraces repeatedly",
            "",
            f"`{name}` ({place}) was traced {count_of(diagnosis.traces, 'time')}{calls}: "
            f"{say_reason(diagnosis.reason, diagnosis.backend, 'en')}.",
            "",
            "Cause:",
            *(f"- {_describe(cause)}" for cause in diagnosis.causes),
            "",
            f"Cost: {_cost(diagnosis)}.",
            f"Versions: {', '.join(versions) or 'not recorded'}.",
            "",
            "To reproduce:",
            *(f"- {text}" for text in _reproduction(diagnosis)),
            "",
            "Measured with traceonce (`traceonce run --format json` has every trace).",
        ]
    )


def _title(case: Case) -> str:
    """The library, with its version where that is known."""
    library = library_of(case.diagnosis)
    return f"{library} {case.environment.get(library, '')}".rstrip() if library != UNKNOWN else "A library"


def _describe(cause: Cause) -> str:
    values = f": {enumerate_values(cause.values)}" if cause.values else ""
    note = f" ({cause.note})" if cause.note else ""
    return f"`{cause.path}` ({cause.code.value}), {count_of(cause.count, 'time')}{values}{note}"


def _cost(diagnosis: Diagnosis) -> str:
    share = f" ({diagnosis.share:.0%} of the run)" if diagnosis.share is not None else ""
    kept = f", {diagnosis.bytes / 2**20:.1f} MiB of memory kept" if diagnosis.bytes else ""
    return f"{duration(diagnosis.lost_seconds)} lost{share}{kept}"


def _reproduction(diagnosis: Diagnosis) -> Sequence[str]:
    sites = diagnosis.call_sites[:3]
    if not sites:
        return ["the calling line is unknown"]
    return [f"{_user_line(site.file, site.line)}{_via(site.via)}, {count_of(site.count, 'trace')}" for site in sites]


def site_of(diagnosis: Diagnosis) -> str:
    """The user's own line, and the library's where it is known."""
    site = diagnosis.call_sites[0]
    via = f" ({package_path(site.via)})" if site.via else ""
    return f"{package_path(site.file)}:{site.line}{via}"


def _user_line(file: str, line: int) -> str:
    shown = package_path(file)
    return f"`{os.path.basename(file) if shown == file else shown}:{line}`"


def _via(via: str | None) -> str:
    return f" through `{package_path(via)}`" if via else ""


def library_of(diagnosis: Diagnosis) -> str:
    """The library's name; `UNKNOWN` where no path tells it."""
    shown = package_path(diagnosis.function.file or "")
    return shown.partition("/")[0].removesuffix(".py") if shown and not os.path.isabs(shown) else UNKNOWN


def library_name(diagnosis: Diagnosis) -> str:
    """The library where it is known, else the function: something that a note can show as code."""
    package = library_of(diagnosis)
    return diagnosis.function.name if package == UNKNOWN else package


RECIPE = Recipe(
    name="library_report",
    title="Report it to the library",
    what="Shows what a caller of the library can do (one size, a tensor or an array, one object), and writes a "
    "report for its maintainers: the function, its line, the cause, the measured cost.",
    why="You cannot change the library's files, but its tracing costs your time.",
    beware="The argument names are the library's. Padding adds data; keeping an object keeps its state.",
    propose=_propose,
)
