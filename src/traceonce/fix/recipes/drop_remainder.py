"""Leave out the last, partial batch: advice, since it leaves out examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from traceonce.facts import Cause, CauseCode, TraceEvent, Verdict
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.predicting import replay


class PartialBatch(NamedTuple):
    """A first dimension that is smaller once: where, how large it is, and how large then."""

    path: str
    whole: int
    part: int

    def is_in(self, event: TraceEvent) -> bool:
        leaves = [leaf for leaf in event.signature.leaves if leaf.path == self.path and leaf.shape]
        return any(leaf.shape is not None and leaf.shape[0] == self.part for leaf in leaves)


def find_partial_batch(causes: tuple[Cause, ...]) -> PartialBatch | None:
    for cause in causes:
        if cause.is_partial_batch:
            whole, part = (int(value) for value in cause.values)
            return PartialBatch(cause.path.removesuffix(".shape[0]"), whole, part)
    return None


def drop_snippet(found: PartialBatch) -> str:
    return f"dataset = dataset.batch({found.whole}, drop_remainder=True)"


def drop_note(found: PartialBatch) -> str:
    return f"the last {found.part} of the examples are left out of every pass over the data"


def without_partial_batch(case: Case, found: PartialBatch) -> int:
    """The traces that are left when those batches do not come."""
    return replay([event for event in case.events if not found.is_in(event)])


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    found = find_partial_batch(diagnosis.causes)
    # Elsewhere an open dimension serves both sizes and loses nothing. A compiler needs one trace for each all the same.
    if found is None or not diagnosis.jit_compile or diagnosis.function.library:
        return
    if diagnosis.verdict in (Verdict.RETRACING, Verdict.RECOMPILING):
        left = without_partial_batch(case, found)
        yield Candidate(
            "drop_remainder", "advice", (CauseCode.SHAPE,), None, left, drop_snippet(found), drop_note(found)
        )


RECIPE = Recipe(
    name="drop_remainder",
    title="Leave out the last, partial batch",
    what="Batches a data set with `drop_remainder=True`, so that all batches are of one size.",
    why="A compiled function needs another trace and another compilation for the one batch that is smaller.",
    beware="Examples are left out: always the same ones, where the data is not shuffled. Fine for training, wrong for "
    "an evaluation. Without `jit_compile` an open dimension in the signature serves both sizes and loses nothing.",
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
        ),
    ),
)  # fmt: skip
