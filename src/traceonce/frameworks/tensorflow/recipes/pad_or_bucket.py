"""Pad to a few sizes, where a compiler or Python code in the body must know them: advice, since zeros are data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from traceonce.facts import CauseCode, Leaf, Note, Signature, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.fix.signatures.specs import by_path
from traceonce.fix.signatures.spelling import spell_changes
from traceonce.words.notes.common import PADDED_SIZES
from traceonce.words.notes.tensorflow import MASK_NEEDED, XLA_COMPILES_PER_SHAPE

HELPER = """\
def padded(tensor, axis):  # to the next power of two
    size = tensor.shape[axis]
    missing = (1 << (size - 1).bit_length()) - size
    return tf.pad(tensor, [[0, missing if n == axis else 0] for n in range(len(tensor.shape))]{filler})
"""


class Place(NamedTuple):
    """A dimension that varies, with the sizes that it had, in order."""

    path: str
    axis: int
    sizes: tuple[int, ...]
    dtype: str | None

    def __str__(self) -> str:
        return f"{self.path}.shape[{self.axis}]"


def bucket(size: int) -> int:
    """The size that `padded` gives: the next power of two."""
    return 1 << (size - 1).bit_length()


def varying_places(signatures: Sequence[Signature]) -> list[Place]:
    """The dimensions of dense tensors that were not of one size, where the tensor always had them."""
    places = []
    for path, leaves in by_path(signatures).items():
        if any(leaf.kind != "tensor" or leaf.type_name or leaf.shape is None for leaf in leaves):
            continue
        shapes = [leaf.shape for leaf in leaves if leaf.shape is not None]
        if len({len(shape) for shape in shapes}) != 1:
            continue
        for axis, column in enumerate(zip(*shapes, strict=True)):
            sizes = [size for size in column if size is not None]
            if len(sizes) == len(column) and len(set(sizes)) > 1:
                places.append(Place(path, axis, tuple(dict.fromkeys(sizes)), leaves[0].dtype))
    return places


def pad(signature: Signature, places: Iterable[Place]) -> Signature:
    """What the tracer would see if these dimensions were padded."""
    axes = {(place.path, place.axis) for place in places}

    def padded(leaf: Leaf) -> Leaf:
        if leaf.kind != "tensor" or leaf.shape is None:
            return leaf
        sizes = enumerate(leaf.shape)
        shape = tuple(bucket(n) if n is not None and (leaf.path, axis) in axes else n for axis, n in sizes)
        return msgspec.structs.replace(leaf, shape=shape)

    return msgspec.structs.replace(signature, leaves=tuple(map(padded, signature.leaves)))


def _pad_snippet(case: Case, places: Sequence[Place]) -> str:
    """The helper, and the call with it."""
    given: dict[str, str] = {}
    for place in places:
        given[place.path] = f"padded({given.get(place.path, place.path)}, axis={place.axis})"
    return f"{helper_code(places)}\n{spell_changes(case, given)}"


def helper_code(places: Sequence[Place]) -> str:
    filler = ', constant_values=""' if any(place.dtype == "string" for place in places) else ""
    return HELPER.format(filler=filler)


def note_buckets(places: Sequence[Place]) -> Iterator[Note]:
    """``x.shape[1] would be 4, 8, 16 instead of 3, 4, 5, 9``."""
    for place in places:
        now = sorted({bucket(size) for size in place.sizes})
        yield PADDED_SIZES(place=str(place), padded=enumerate_values(now), seen=enumerate_values(place.sizes))


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
    what="Pads the dimensions that vary to the next power of two before the call.",
    why="XLA compiles once for every shape, whatever the signature says, and a body that counts in Python "
    "(`tf.unstack`, `range(x.shape[0])`) must know every size. Powers of two leave a handful of sizes.",
    beware="The zeros are data. A mean, a softmax, a loss, a length taken from the shape: each needs a mask or the "
    "true size. Where nothing needs to know the size, an open dimension in the signature does without padding.",
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
