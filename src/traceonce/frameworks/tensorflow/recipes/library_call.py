"""What the caller of a library's `tf.function` can do: pass a tensor for a number, or batches of one size."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate
from traceonce.fix.case import Case
from traceonce.fix.recipes.library_report import advise, library_name, library_of, site_of
from traceonce.fix.signatures.buckets import note_buckets, pad, varying_places
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import LIFTABLE, lift, predict_traces
from traceonce.frameworks.tensorflow.recipes.drop_remainder import (
    drop_note,
    drop_snippet,
    find_partial_batch,
    without_partial_batch,
)
from traceonce.frameworks.tensorflow.recipes.pad_or_bucket import helper_code
from traceonce.words.notes.common import TENSOR_MAY_BE_REFUSED, ZEROS_ARE_COUNTED


def advise_caller(case: Case) -> Iterator[Candidate]:
    if case.diagnosis.function.library:
        yield from _pass_a_tensor(case)
        yield from _one_size(case)


def _pass_a_tensor(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    for cause in diagnosis.causes:
        leaves = leaves_at(case.signatures, cause.path)
        if cause.code is not CauseCode.VALUE or not leaves or any(leaf.type_name not in LIFTABLE for leaf in leaves):
            continue
        dtype = "float32" if any(leaf.type_name == "float" for leaf in leaves) else "int32"
        traces = predict_traces(case.events, lift({cause.path: dtype}))
        snippet = (
            f"# {site_of(diagnosis)}: pass tf.constant({cause.path}, tf.{dtype}) for the Python number {cause.path}"
        )
        note = TENSOR_MAY_BE_REFUSED(library=library_name(diagnosis), path=cause.path)
        yield advise(cause.code, traces, snippet, note)


def _one_size(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    partial = find_partial_batch(diagnosis.causes)
    if partial is not None:
        snippet = f"{drop_snippet(partial)}  # for {site_of(diagnosis)}"
        yield advise(CauseCode.SHAPE, without_partial_batch(case, partial), snippet, drop_note(partial))
        return
    places = varying_places(case.signatures)
    if CauseCode.SHAPE not in case.codes or not places:
        return
    traces = predict_traces(case.events, lambda signature: pad(signature, places))
    if traces < diagnosis.traces:
        where = ", ".join(f"padded(…, axis={place.axis}) for {place.path}" for place in places)
        before = f"# {site_of(diagnosis)}: pad before the call what {library_of(diagnosis)} gets: {where}"
        snippet = f"{helper_code(places)}\n{before}"
        yield advise(CauseCode.SHAPE, traces, snippet, *note_buckets(places), ZEROS_ARE_COUNTED())
