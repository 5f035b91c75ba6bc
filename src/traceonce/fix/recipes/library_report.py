"""A cause inside a library: what its caller can do, and a report for those who maintain it. Never an edit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from traceonce.causes.messages import say_reason
from traceonce.facts import Cause, CauseCode, Diagnosis, Note, Verdict
from traceonce.facts.event import package_path
from traceonce.facts.quantities import count_of, duration
from traceonce.fix.candidate import Candidate, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.signatures.prediction import LIFTABLE, lift, predict_traces
from traceonce.fix.signatures.specs import leaves_at
from traceonce.frameworks.tensorflow.recipes.drop_remainder import (
    drop_note,
    drop_snippet,
    find_partial_batch,
    without_partial_batch,
)
from traceonce.frameworks.tensorflow.recipes.pad_or_bucket import helper_code, note_buckets, pad, varying_places
from traceonce.words.notes.common import (
    CAUSE_IN_LIBRARY,
    DATASET_TRACES_ANEW,
    LIBRARY_KEYS_ON_OBJECT,
    LIBRARY_OBJECTS_DIFFER,
    LIBRARY_TRACES_PER_OBJECT,
    MODEL_TRACES_ANEW,
    TENSOR_MAY_BE_REFUSED,
    ZEROS_ARE_COUNTED,
)
from traceonce.words.notes.jax import PASS_AN_ARRAY, STATIC_COMPILED_IN

UNKNOWN = "the library"  # where no path tells which
_NEW_OBJECT = (CauseCode.NEW_FUNCTION, CauseCode.NEW_INSTANCE)
_STATIC_BY_ITSELF = ("equinox",)  # their jit makes static what is no array
_OTHER_OBJECT = (CauseCode.IDENTITY, CauseCode.COLLECTED)


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.verdict.is_ignorable or diagnosis.verdict is Verdict.FAILED:
        return
    given = _given_static(diagnosis)
    if given:
        yield from _pass_an_array(case, given)
    if not diagnosis.function.library or len(given) == len(diagnosis.causes):
        return
    if diagnosis.call_sites:
        yield from _reuse(case)
        if diagnosis.backend == "tensorflow":  # in whose words these are
            yield from _pass_a_tensor(case)
            yield from _one_size(case)
    codes = tuple(dict.fromkeys(cause.code for cause in diagnosis.causes if cause not in given))
    yield Candidate(
        "library_report",
        "advice",
        codes,
        None,
        None,
        _write_report(case),
        (CAUSE_IN_LIBRARY(library=_name(diagnosis)),),
    )


def _advice(code: CauseCode, traces: int | None, snippet: str, *notes: Note) -> Candidate:
    return Candidate("library_report", "advice", (code,), None, traces, snippet, notes)


def _reuse(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    for cause in diagnosis.causes:
        if cause.code in _NEW_OBJECT:
            traces = predict_traces(case.events, one_object=True) if cause.note is None else None
            if diagnosis.function.name.endswith("[dataset]"):
                snippet = f"dataset = …  # built once, before {_site(diagnosis)}, and used again there"
                notes = [DATASET_TRACES_ANEW()]
            elif _package(diagnosis) == "keras":
                snippet = f"# before {_site(diagnosis)}: build and compile the model once, and keep it"
                notes = [MODEL_TRACES_ANEW()]
            else:
                snippet = f"# before {_site(diagnosis)}: make once what is made there (a model, a layer), and keep it"
                notes = [LIBRARY_TRACES_PER_OBJECT(library=_name(diagnosis))]
            if cause.note is not None:
                notes.append(LIBRARY_OBJECTS_DIFFER(names=cause.note.split(", ")))
            yield _advice(cause.code, traces, snippet, *notes)
        elif cause.code in _OTHER_OBJECT:
            what = cause.type_name or "object"
            snippet = (
                f"kept = …  # the {what} for {cause.path}: made once, before {_site(diagnosis)}, and passed each time"
            )
            yield _advice(cause.code, None, snippet, LIBRARY_KEYS_ON_OBJECT(library=_name(diagnosis)))


def is_static_by_itself(diagnosis: Diagnosis) -> bool:
    """Is it compiled by a library that takes for static what is no array, so that there is no `static_argnames`?"""
    sites = [package_path(site.via or "").partition("/")[0] for site in diagnosis.call_sites]
    through = bool(sites) and all(package in _STATIC_BY_ITSELF for package in sites)
    return diagnosis.backend == "jax" and (through or _package(diagnosis) in _STATIC_BY_ITSELF)


def _given_static(diagnosis: Diagnosis) -> list[Cause]:
    """The causes that are a static value of a library's function: the caller gave it, the library is not to blame."""
    of_library = diagnosis.function.library or is_static_by_itself(diagnosis)
    if diagnosis.backend != "jax" or not diagnosis.call_sites or not of_library:
        return []
    return [cause for cause in diagnosis.causes if cause.code is CauseCode.STATIC_ARGUMENT]


def _pass_an_array(case: Case, given: Sequence[Cause]) -> Iterator[Candidate]:
    from traceonce.frameworks.jax.recipes.array_argument import as_arrays

    site = _site(case.diagnosis)
    for cause in given:
        leaves = leaves_at(case.signatures, cause.path)
        numbers = bool(leaves) and all(leaf.type_name in LIFTABLE for leaf in leaves)
        if numbers and is_static_by_itself(case.diagnosis):
            traces = predict_traces(case.events, as_arrays(frozenset({cause.path})))
            snippet = f"jnp.asarray({cause.path})  # for {cause.path}, in the call at {site}"
            yield _advice(cause.code, traces, snippet, PASS_AN_ARRAY(path=cause.path))
        else:
            snippet = f"# {site}: give the same {cause.path} at each call, or one of a few"
            yield _advice(cause.code, None, snippet, STATIC_COMPILED_IN(path=cause.path))


def _pass_a_tensor(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    for cause in diagnosis.causes:
        leaves = leaves_at(case.signatures, cause.path)
        if cause.code is not CauseCode.VALUE or not leaves or any(leaf.type_name not in LIFTABLE for leaf in leaves):
            continue
        dtype = "float32" if any(leaf.type_name == "float" for leaf in leaves) else "int32"
        traces = predict_traces(case.events, lift({cause.path: dtype}))
        snippet = f"# {_site(diagnosis)}: pass tf.constant({cause.path}, tf.{dtype}) for the Python number {cause.path}"
        note = TENSOR_MAY_BE_REFUSED(library=_name(diagnosis), path=cause.path)
        yield _advice(cause.code, traces, snippet, note)


def _one_size(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    partial = find_partial_batch(diagnosis.causes)
    if partial is not None:
        snippet = f"{drop_snippet(partial)}  # for {_site(diagnosis)}"
        yield _advice(CauseCode.SHAPE, without_partial_batch(case, partial), snippet, drop_note(partial))
        return
    places = varying_places(case.signatures)
    if CauseCode.SHAPE not in case.codes or not places:
        return
    traces = predict_traces(case.events, lambda signature: pad(signature, places))
    if traces < diagnosis.traces:
        where = ", ".join(f"padded(…, axis={place.axis}) for {place.path}" for place in places)
        snippet = (
            f"{helper_code(places)}\n# {_site(diagnosis)}: pad before the call what {_package(diagnosis)} gets: {where}"
        )
        yield _advice(CauseCode.SHAPE, traces, snippet, *note_buckets(places), ZEROS_ARE_COUNTED())


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
            f"## `{name}` is traced again and again",
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
        return ["the line that called it is not known"]
    return [f"{_user_line(site.file, site.line)}{_via(site.via)}, {count_of(site.count, 'trace')}" for site in sites]


def _site(diagnosis: Diagnosis) -> str:
    """The user's own line, and the library's where it is known."""
    site = diagnosis.call_sites[0]
    via = f" ({package_path(site.via)})" if site.via else ""
    return f"{package_path(site.file)}:{site.line}{via}"


def _user_line(file: str, line: int) -> str:
    shown = package_path(file)
    return f"`{os.path.basename(file) if shown == file else shown}:{line}`"


def _via(via: str | None) -> str:
    return f" through `{package_path(via)}`" if via else ""


def _package(diagnosis: Diagnosis) -> str:
    shown = package_path(diagnosis.function.file or "")
    return shown.partition("/")[0].removesuffix(".py") if shown and not os.path.isabs(shown) else UNKNOWN


def _name(diagnosis: Diagnosis) -> str:
    """The library where it is known, else the function: something that a note can show as code."""
    package = _package(diagnosis)
    return diagnosis.function.name if package == UNKNOWN else package


RECIPE = Recipe(
    name="library_report",
    title="Tell the library",
    what="Says what the caller of a library can do (one size, a tensor or an array, one object), and writes a report "
    "for those who maintain it: the function, its line, the cause, the measured cost.",
    why="The files of a library are not the user's to change, but its tracing costs the user's time.",
    beware="The names of the arguments are the library's own. Padding adds data; keeping an object keeps its state.",
    propose=_propose,
)
