"""Pad to a few sizes, where a compiler or Python code in the body must know them: advice, since zeros are data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traceonce.facts import CauseCode, Signature, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.buckets import VaryingDimension, note_buckets, pad, varying_places
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.frameworks.tensorflow.words import MASK_NEEDED, XLA_COMPILES_PER_SHAPE

HELPER = """\
def padded(tensor, axis):  # to the next power of two
    size = tensor.shape[axis]
    missing = (1 << (size - 1).bit_length()) - size
    return tf.pad(tensor, [[0, missing if n == axis else 0] for n in range(len(tensor.shape))]{filler})
"""


def _pad_snippet(case: Case, places: Sequence[VaryingDimension]) -> str:
    """The helper, and the call with it."""
    given: dict[str, str] = {}
    for place in places:
        given[place.path] = f"padded({given.get(place.path, place.path)}, axis={place.axis})"
    return f"{helper_code(places)}\n{spell_changes(case, given)}"


def helper_code(places: Sequence[VaryingDimension]) -> str:
    filler = ', constant_values=""' if any(place.dtype == "string" for place in places) else ""
    return HELPER.format(filler=filler)


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.function.library or diagnosis.verdict not in (Verdict.RETRACING, Verdict.RECOMPILING):
        return
    seen = [event.signature for event in case.compilations] or list(case.signatures)
    places = varying_places(seen)
    compiled = diagnosis.jit_compile or diagnosis.verdict is Verdict.RECOMPILING
    if not places:
        return
    traces = predict_traces(case.events, lambda signature: pad(signature, places))
    compiles = len({_shapes(pad(signature, places)) for signature in seen})
    if traces >= diagnosis.traces and compiles >= len({_shapes(signature) for signature in seen}):
        return  # the sizes are so far apart that nothing is saved
    notes = [*note_buckets(places), MASK_NEEDED()]
    if compiled:
        before = diagnosis.compiles or len({_shapes(signature) for signature in seen})
        notes.insert(0, XLA_COMPILES_PER_SHAPE(left=compiles, before=before))
    codes = tuple(code for code in (CauseCode.SHAPE, CauseCode.COMPILE) if code in case.codes)
    yield Candidate("pad_or_bucket", "advice", codes, None, traces, _pad_snippet(case, places), tuple(notes))


def _shapes(signature: Signature) -> tuple[object, ...]:
    return tuple((leaf.path, leaf.shape) for leaf in signature.leaves)


RECIPE = Recipe(
    name="pad_or_bucket",
    title="Pad to a few sizes",
    what="Pads varying dimensions to the next power of two before the call.",
    why="XLA compiles once per shape, whatever the signature says, and a body that iterates in Python "
    "(`tf.unstack`, `range(x.shape[0])`) needs every size. Powers of two leave only a few sizes.",
    beware="The padding is data. A mean, a softmax, a loss or a length taken from the shape needs a mask or the "
    "true size. If nothing needs to know the size, an open dimension in the signature works without padding.",
    propose=_propose,
    examples=(
        Example(
            title="A compiled step over sentences of any length",
            function="total",
            traces_before=8,
            traces_after=3,
            program='''\
import tensorflow as tf


@tf.function(jit_compile=True)
def total(x):
    return tf.reduce_sum(x * x)


for size in (3, 5, 6, 7, 9, 12, 13, 16):
    print(float(total(tf.ones([2, size]))))
''',
            advice="""\
def padded(tensor, axis):  # to the next power of two
    size = tensor.shape[axis]
    missing = (1 << (size - 1).bit_length()) - size
    return tf.pad(tensor, [[0, missing if n == axis else 0] for n in range(len(tensor.shape))])

total(padded(x, axis=1))""",
        ),
    ),
)  # fmt: skip
