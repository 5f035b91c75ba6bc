"""Pad to a few sizes, with a mask of what is real: advice, since what is padded is data to the function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from traceonce.facts import CauseCode, Note, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.buckets import VaryingDimension, note_buckets, pad, varying_places
from traceonce.fix.signatures.call_code import arguments_of, callee_of, parameters_of
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.frameworks.jax.words import COMPILES_PER_SIZE, MASK_AXIS

NAME = "pad_to_bucket"
HELPER = """\
def padded(array, axis):  # to the next power of two, and a mask of what is real
    size = array.shape[axis]
    missing = (1 << (size - 1).bit_length()) - size
    widths = [(0, missing if n == axis else 0) for n in range(array.ndim)]
    return jnp.pad(array, widths), jnp.arange(size + missing) < size
"""


def propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.function.library or diagnosis.verdict not in (Verdict.RETRACING, Verdict.RECOMPILING):
        return
    places = [place for place in varying_places(case.signatures) if place.path.isidentifier()]
    if not places:
        return
    # What was traced before anybody watched had other shapes: it serves nothing that is padded.
    events = [msgspec.structs.replace(event, earlier=()) for event in case.events]
    left = predict_traces(events, lambda signature: pad(signature, places))
    if left >= diagnosis.traces:
        return  # the sizes are so far apart that nothing is saved
    notes = [*note_buckets(places), COMPILES_PER_SIZE(left=left, before=diagnosis.traces), *_note_masks(case, places)]
    yield Candidate(NAME, "advice", (CauseCode.SHAPE,), None, left, _snippet(case, places), tuple(notes))


def _snippet(case: Case, places: Sequence[VaryingDimension]) -> str:
    masks = _masks(case, places)
    lines = [
        f"{place.path}, {mask} = padded({place.path}, axis={place.axis})"
        for place, mask in zip(places, masks, strict=True)
    ]
    given = ", ".join([*arguments_of(case), *(f"{mask}={mask}" for mask in masks)])
    call = f"{callee_of(case.diagnosis.function)}({given})  # jnp.mean(…, where={masks[0]})"
    return "\n".join([HELPER, *lines, call])


def _masks(case: Case, places: Sequence[VaryingDimension]) -> list[str]:
    """A name for the mask of each place, none of which is that of a parameter."""
    taken = set(parameters_of(case))
    axes = Counter(place.path for place in places)
    names = []
    for place in places:
        of_one = f"_{place.axis}" if axes[place.path] > 1 else ""
        wanted = (
            f"{place.path}_{word}{of_one}" if len(places) > 1 else word for word in ("mask", "real", "padding_mask")
        )
        name = next((name for name in wanted if name not in taken), "is_real")
        taken.add(name)
        names.append(name)
    return names


def _note_masks(case: Case, places: Sequence[VaryingDimension]) -> Iterator[Note]:
    """Which mask is for which axis."""
    for place, mask in zip(places, _masks(case, places), strict=True):
        yield MASK_AXIS(axis=place.axis, path=place.path, mask=mask)


RECIPE = Recipe(
    name=NAME,
    title="Pad to a few sizes with a mask",
    what="Suggests padding an array of varying size to the next power of two, with a mask for the real elements, "
    "and predicts how many compilations the recorded sizes would need.",
    why="JAX compiles for exact shapes, once per new shape. Padding leaves only a few: the lengths 1 to 1,024 "
    "need eleven sizes.",
    beware="Padding adds data. Sums of zeros stay correct; means, maxima, softmaxes and losses need "
    "`where=mask`. Padding can double the work.",
    propose=propose,
    examples=(
        Example(
            title="Sentences of many lengths",
            function="mean",
            traces_before=6,
            traces_after=2,
            program='''\
import jax
import jax.numpy as jnp


@jax.jit
def mean(x):
    return jnp.mean(x)


for length in (3, 5, 6, 7, 4, 8):
    print(round(float(mean(jnp.arange(float(length)))), 4))
''',
            advice=f'''\
{HELPER}
x, mask = padded(x, axis=0)
mean(x, mask=mask)  # jnp.mean(…, where=mask)''',
        ),
    ),
)  # fmt: skip
