"""A value from outside that changed after the trace becomes an argument; a static one where the body needs its value.

All stale values are repaired together: with one of them left, the results are still wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Note
from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.closures.parameters import pass_as_argument, wanted_name
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.jax.words import BECOMES_STATIC
from traceonce.words.notes.common import CURRENT_VALUE_PASSED

NAME = "state"


def propose(case: Case) -> Iterator[Candidate]:
    # With a note, it is not known whether any call came after the change.
    stale = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.STALE and cause.note is None]
    if not stale or case.diagnosis.function.library:
        return
    shown = [cause for cause in stale if cause.evidence == "measured"]
    for chosen in [stale, *([shown] if shown and len(shown) < len(stale) else [])]:
        paths = [cause.path for cause in chosen]
        given = ", ".join(f"{wanted_name(path)}={path}" for path in paths)
        snippet = f"{case.diagnosis.function.short_name}(…, {given})"
        note = CURRENT_VALUE_PASSED()
        yield _candidate(_change(case, paths, []), predict_traces(case.events), snippet, note)
        flags = [cause.path for cause in chosen if not _is_array(cause.was) and not _is_array(cause.now)]
        if flags:
            yield _candidate(_change(case, paths, flags), None, snippet, note, BECOMES_STATIC(names=flags))


def _is_array(text: str) -> bool:
    """Is this how an array is told from another: by its type and a number?"""
    return re.fullmatch(r"\w+ \d+", text) is not None or " array " in text


def _candidate(change: Change, left: int | None, snippet: str, *notes: Note) -> Candidate:
    return Candidate(NAME, "review", (CauseCode.STALE,), change, left, snippet, notes, passes_state=True)


def _change(case: Case, paths: Sequence[str], static: Sequence[str]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.frameworks.jax.recipes.static_options import make_static

        for path in paths:
            pass_as_argument(edits, case, path, "value")
        if static:
            make_static(edits, case, [wanted_name(path) for path in static])

    return change


_GLOBAL = """\
import jax
import jax.numpy as jnp

RATE = 0.5


@jax.jit
def step(x{parameter}):
    return x * {rate}


for epoch in range(3):
    print(epoch, float(step(jnp.float32(8.0){argument})))
    RATE = RATE / 2
"""

RECIPE = Recipe(
    name=NAME,
    title="Pass changing values as arguments",
    what="Passes a global or a closed-over value as an argument on every call.",
    why="JAX compiles in the outside values that a function reads during tracing and never reads them again. "
    "After a change, the function silently keeps using the old value. Arguments are read on every call.",
    beware="Results are checked against `jax.disable_jit`. A flag that Python code in the body branches on must "
    "be static, and costs one trace per value.",
    propose=propose,
    examples=(
        Example(
            title="A global that changes between calls",
            function="step",
            traces_before=1,
            traces_after=1,
            program=_GLOBAL.format(parameter="", rate="RATE", argument=""),
            repaired=_GLOBAL.format(parameter=", rate", rate="rate", argument=", rate=RATE"),
        ),
    ),
)
