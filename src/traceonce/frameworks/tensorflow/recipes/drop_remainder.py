"""Leave out the last, partial batch: advice, since it leaves out examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from traceonce.facts import Cause, CauseCode, Note, TraceEvent, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.joined_lines import enumerate_values
from traceonce.fix.signatures.buckets import varying_places
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.words.notes.common import LAST_EXAMPLES_DROPPED, SMALL_BATCHES_DROPPED


class PartialBatch(NamedTuple):
    """A first dimension that is smaller at times: where, how large it is, and the sizes that it had then."""

    path: str
    whole: int
    parts: tuple[int, ...]

    def is_in(self, event: TraceEvent) -> bool:
        leaves = [leaf for leaf in event.signature.leaves if leaf.path == self.path and leaf.shape]
        return any(leaf.shape is not None and leaf.shape[0] in self.parts for leaf in leaves)


def find_partial_batch(causes: tuple[Cause, ...]) -> PartialBatch | None:
    """One size, and a smaller one after it: a data set that does not divide evenly."""
    for cause in causes:
        if cause.is_partial_batch:
            whole, part = (int(value) for value in cause.values)
            return PartialBatch(cause.path.removesuffix(".shape[0]"), whole, (part,))
    return None


def _find_partial_batches(case: Case) -> PartialBatch | None:
    """Several smaller sizes: data sets that end in different ways.

    Batches come in one size again and again, so there must be calls that needed no trace; nothing but their number
    varies.
    """
    calls = case.diagnosis.calls
    places = varying_places(case.signatures)
    if calls is None or calls <= case.diagnosis.traces or not places or any(place.axis for place in places):
        return None
    whole = max(places[0].sizes)
    return PartialBatch(places[0].path, whole, tuple(size for size in places[0].sizes if size < whole))


def drop_snippet(found: PartialBatch) -> str:
    return f"dataset = dataset.batch({found.whole}, drop_remainder=True)"


def drop_note(found: PartialBatch) -> Note:
    if len(found.parts) == 1:
        return LAST_EXAMPLES_DROPPED(count=found.parts[0])
    return SMALL_BATCHES_DROPPED(whole=found.whole, sizes=enumerate_values(found.parts))


def without_partial_batch(case: Case, found: PartialBatch) -> int:
    """The traces that are left when those batches do not come."""
    return predict_traces([event for event in case.events if not found.is_in(event)])


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    if diagnosis.function.library or diagnosis.verdict not in (Verdict.RETRACING, Verdict.RECOMPILING):
        return
    found = find_partial_batch(diagnosis.causes) or _find_partial_batches(case)
    left = without_partial_batch(case, found) if found is not None else None
    if found is not None and left is not None and left < diagnosis.traces:
        yield Candidate(
            "drop_remainder", "advice", (CauseCode.SHAPE,), None, left, drop_snippet(found), (drop_note(found),)
        )


RECIPE = Recipe(
    name="drop_remainder",
    title="Drop the last, partial batch",
    what="Batches a data set with `drop_remainder=True`, so that all batches have the same size.",
    why="A compiled function, or one whose body needs the batch size (`tf.unstack`), retraces for a smaller "
    "batch.",
    beware="Examples are dropped, and always the same ones if the data is not shuffled. That is fine for "
    "training and wrong for evaluation. If nothing needs the size, an open dimension in the signature accepts "
    "every size and drops nothing.",
    propose=_propose,
    examples=(
        Example(
            title="A compiled function over ten examples in batches of four, with a growing scale",
            function="scaled",
            traces_before=5,
            traces_after=4,
            program='''\
import tensorflow as tf


@tf.function(jit_compile=True)
def scaled(batch, scale):
    return tf.reduce_sum(batch) * scale


for scale in (1.0, 2.0, 3.0, 4.0):
    data = tf.data.Dataset.range(10).map(lambda n: tf.cast(n, tf.float32)).batch(4)
    for batch in data if scale == 1.0 else data.take(1):
        print(float(scaled(batch, scale)))
''',
            advice="dataset = dataset.batch(4, drop_remainder=True)",
        ),
    ),
)  # fmt: skip
