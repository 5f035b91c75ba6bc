"""Pad to a few sizes, with a mask of what is real: advice, since what is padded is data to the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Verdict
from traceonce.facts.quantities import count_of
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.pad_or_bucket import Place, describe_buckets, pad, varying_places
from traceonce.fix.signatures.predicting import replay

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
    left = replay(case.events, lambda signature: pad(signature, places))
    if left >= diagnosis.traces:
        return  # the sizes are so far apart that nothing is saved
    note = (
        f"{describe_buckets(places)}: {count_of(left, 'compilation')} instead of {diagnosis.traces}. JAX never leaves "
        "a size open. What the function adds up or averages must leave out what the mask does not cover"
    )
    yield Candidate(NAME, "advice", (CauseCode.SHAPE,), None, left, _snippet(case, places), note)


def _snippet(case: Case, places: Sequence[Place]) -> str:
    mask = "real" if any(leaf.path == "mask" for leaf in case.signatures[-1].leaves) else "mask"
    lines = [f"{place.path}, {mask} = padded({place.path}, axis={place.axis})" for place in places[:1]]
    lines += [f"{place.path}, _ = padded({place.path}, axis={place.axis})" for place in places[1:]]
    given = ", ".join(dict.fromkeys(place.path for place in places))
    call = f"{case.diagnosis.function.short_name}({given}, {mask}={mask})  # jnp.mean(…, where={mask})"
    return "\n".join([HELPER, *lines, call])


RECIPE = Recipe(
    name=NAME,
    title="Pad to a few sizes, with a mask",
    what="Suggests padding an array whose size varies to the next power of two, with a mask of what is real, and says "
    "how many compilations would be left over the sizes that were seen.",
    why="JAX compiles for exact shapes, each time that one is new. Padded sizes are few: all the lengths from 1 to "
    "1,024 are eleven.",
    beware="Padding is data: sums of zeros stay right, means, maxima, softmaxes and losses do not, unless they take "
    "`where=mask`. It also costs up to twice the work.",
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
