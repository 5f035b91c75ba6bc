"""What the caller of a library's jitted function can do: pass an array for a static number, or the same value."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Cause, CauseCode, Diagnosis
from traceonce.fix.candidate import Candidate, Effect
from traceonce.fix.case import Case
from traceonce.fix.recipes.library_report import advise, site_of
from traceonce.fix.signatures.leaves import leaves_at
from traceonce.fix.signatures.prediction import LIFTABLE, predict_traces
from traceonce.frameworks.jax.recipes.array_argument import as_arrays, is_static_by_itself
from traceonce.frameworks.jax.words import PASS_AN_ARRAY, STATIC_COMPILED_IN


def given_static(diagnosis: Diagnosis) -> list[Cause]:
    """The causes that are a static value of a library's function: the caller gave it, the library is not to blame."""
    of_library = diagnosis.function.library or is_static_by_itself(diagnosis)
    if not diagnosis.call_sites or not of_library:
        return []
    return [cause for cause in diagnosis.causes if cause.code is CauseCode.STATIC_ARGUMENT]


def advise_caller(case: Case) -> Iterator[Candidate]:
    site = site_of(case.diagnosis)
    for cause in given_static(case.diagnosis):
        leaves = leaves_at(case.signatures, cause.path)
        numbers = bool(leaves) and all(leaf.type_name in LIFTABLE for leaf in leaves)
        if numbers and is_static_by_itself(case.diagnosis):
            traces = predict_traces(case.events, as_arrays(frozenset({cause.path})))
            snippet = f"jnp.asarray({cause.path})  # for {cause.path}, in the call at {site}"
            effects = frozenset({Effect("lifted", cause.path)})
            yield advise(cause.code, traces, snippet, PASS_AN_ARRAY(path=cause.path), effects=effects)
        else:
            snippet = f"# {site}: give the same {cause.path} at each call, or one of a few"
            yield advise(cause.code, None, snippet, STATIC_COMPILED_IN(path=cause.path))
