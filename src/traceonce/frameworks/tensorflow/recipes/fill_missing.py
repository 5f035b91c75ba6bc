"""What comes with some calls only (a tensor or None, a key of a dict) is filled in for the others with zeros or ones.

What fills it must mean nothing to the function: the run shows whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Declined, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.recipes.missing_parts import Gap, filled, filling, find_gaps, shown, ways_to_fill
from traceonce.fix.signatures.call_code import spell_changes
from traceonce.fix.signatures.prediction import predict_traces
from traceonce.frameworks.tensorflow.recipes.input_signature import propose_signatures
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import NAME as RELAX
from traceonce.frameworks.tensorflow.recipes.reduce_retracing import propose_relaxed
from traceonce.words.notes.common import MISSING_IS_FILLED

NAME = "fill_missing"
_TREATED = frozenset({CauseCode.KIND, CauseCode.STRUCTURE})


def propose(case: Case) -> Iterator[Candidate]:
    if not case.codes & _TREATED or any(event.signed for event in case.events):
        return
    gaps = find_gaps(case.signatures)
    if not gaps:
        return
    now = predict_traces(case.events)
    codes = tuple(sorted(case.codes & _TREATED))
    notes = (MISSING_IS_FILLED(names=[gap.path for gap in gaps]),)
    before = filled(gaps)
    left = predict_traces(case.events, before)
    for fillers, effects in ways_to_fill(gaps, _filler):
        change = filling(case, fillers)
        call = spell_changes(case, shown(fillers))
        try:
            yield from propose_signatures(case, f"{NAME}+input_signature", before, (change,), notes, call, effects)
        except Declined:
            yield from propose_relaxed(case, f"{NAME}+{RELAX}", before, (change,), _TREATED, notes, call, effects)
        if left < now:
            yield Candidate(NAME, "review", codes, change, left, call, notes, effects=effects)


def _filler(gap: Gap, kind: str) -> str:
    return f"tf.{kind}([{', '.join(map(str, gap.shape))}], tf.{gap.dtype})"


_MASK = Example(
    title="An optional mask",
    program="""\
import tensorflow as tf


@tf.function
def total(x, mask=None):
    if mask is not None:
        x = x * mask
    return tf.reduce_sum(x)


for number in range(2, 6):
    mask = tf.sequence_mask([1] * number, 2, tf.float32) if number % 2 else None
    print(float(total(tf.ones([number, 2]), mask)))
""",
    function="total",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None, 2], tf.float32)])
def total(x, mask=None):
    if mask is not None:
        x = x * mask
    return tf.reduce_sum(x)


for number in range(2, 6):
    mask = tf.sequence_mask([1] * number, 2, tf.float32) if number % 2 else None
    print(float(total(tf.ones([number, 2]), tf.ones([1, 2], tf.float32) if mask is None else mask)))
""",
    traces_after=1,
)

_KEYS = Example(
    title="Optional keys in a dict",
    program="""\
import tensorflow as tf


@tf.function
def score(row):
    total = row["base"]
    if "bonus" in row:
        total += row["bonus"]
    return total - row["malus"] if "malus" in row else total


one = tf.constant(1.0)
rows = [{"base": one}, {"base": one, "bonus": one}, {"base": one, "malus": one}]
for row in [*rows, {"base": one, "bonus": one, "malus": one}, *rows]:
    print(float(score(row)))
""",
    function="score",
    traces_before=4,
    repaired="""\
import tensorflow as tf


@tf.function(input_signature=[
    {
        "base": tf.TensorSpec([], tf.float32),
        "bonus": tf.TensorSpec([], tf.float32),
        "malus": tf.TensorSpec([], tf.float32),
    },
])
def score(row):
    total = row["base"]
    if "bonus" in row:
        total += row["bonus"]
    return total - row["malus"] if "malus" in row else total


one = tf.constant(1.0)
rows = [{"base": one}, {"base": one, "bonus": one}, {"base": one, "malus": one}]
for row in [*rows, {"base": one, "bonus": one, "malus": one}, *rows]:
    print(float(score({"bonus": tf.zeros([], tf.float32), "malus": tf.zeros([], tf.float32), **row})))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name=NAME,
    title="Fill in missing values",
    what="Passes a tensor of zeros (or ones) where a call passes None, or a dict without a key that other calls have.",
    why="None is not a tensor, and a dict with other keys has another structure. Each combination has its own "
    "trace, multiplied by the number of shapes.",
    beware="The placeholder must be neutral, like a mask of ones or a bonus of zeros. A test for None, or for "
    "the key, is then always true.",
    propose=propose,
    treats_arguments=True,
    examples=(_MASK, _KEYS),
)
