"""Under a relaxed signature a size that the body reads from a static shape is read while the function runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.frameworks.tensorflow.dynamic_shapes.reach import OpenShapes, Reach
from traceonce.frameworks.tensorflow.recipes.dtypes import float_dtype

if TYPE_CHECKING:
    from traceonce.fix.source.edits import Edits

NAME = "dynamic_shape"


REACHES = (Reach(), Reach(cast_everywhere=True), Reach(everywhere=True), Reach(everywhere=True, cast_everywhere=True))


def variants(case: Case, open_shapes: OpenShapes) -> Iterator[Change]:
    """The changes of the body that may be needed where these shapes are open, the least first.

    Each declines where one before it does the same.
    """
    for count in range(1, len(REACHES) + 1) if open_shapes else ():
        yield _change(case, open_shapes, REACHES[:count])


def _change(case: Case, open_shapes: OpenShapes, reaches: tuple[Reach, ...]) -> Change:
    def change(edits: Edits) -> None:
        from traceonce.frameworks.tensorflow.dynamic_shapes.edit import read_sizes_at_run_time

        floating = float_dtype(case.signatures)
        read_sizes_at_run_time(edits, case.diagnosis.function, open_shapes, reaches, floating)

    return change


def _propose(case: Case) -> Iterator[Candidate]:
    return iter(())  # never by itself: only together with what leaves dimensions open


RECIPE = Recipe(
    name=NAME,
    title="Read the size at run time",
    what="Where a signature leaves a dimension open, replaces `x.shape[i]` in the body with `tf.shape(x)[i]`, "
    "and adds a cast where the size is divided or combined with a float.",
    why="A static shape is read during tracing. For an open dimension it is None, and arithmetic with it fails.",
    beware="The size becomes a tensor: fine for reshaping, slicing, ranges and arithmetic, but not where a "
    "Python number is required. Called functions are changed too if tracing with the signature fails in them; "
    "their other callers then also get tensor sizes.",
    propose=_propose,
    shown_by_probes=True,
    examples=(
        Example(
            title="Sizes unpacked from a shape",
            function="center",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def center(x):
    rows, columns = x.shape
    mean = tf.reduce_sum(tf.reshape(x, [rows * columns])) / (rows * columns)
    return x - tf.fill([rows, 1], mean)


for rows in range(1, 7):
    print(center(tf.ones([rows, 3])).numpy().sum())
''',
            repaired='''\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def center(x):
    rows, columns = tf.shape(x)[0], x.shape[1]
    mean = tf.reduce_sum(tf.reshape(x, [rows * columns])) / tf.cast(rows * columns, tf.float32)
    return x - tf.fill([rows, 1], mean)


for rows in range(1, 7):
    print(center(tf.ones([rows, 3])).numpy().sum())
''',
        ),
        Example(
            title="A list of any length",
            function="average",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def average(images):
    total = tf.zeros([2, 2])
    for image in images:
        total += image
    return total / len(images)


for count in range(1, 7):
    print(average([tf.ones([2, 2]) * number for number in range(count)]).numpy().sum())
''',
            repaired='''\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 2, 2], tf.float32)])
def average(images):
    total = tf.zeros([2, 2])
    for image in images:
        total += image
    return total / tf.cast(tf.shape(images)[0], tf.float32)


for count in range(1, 7):
    print(average([tf.ones([2, 2]) * number for number in range(count)]).numpy().sum())
''',
        ),
        Example(
            title="Sizes of computed tensors",
            function="attend",
            traces_before=6,
            traces_after=1,
            program='''\
import tensorflow as tf


@tf.function
def attend(query, memory):
    scores = tf.matmul(query, memory, transpose_b=True)
    batch = scores.shape[0]
    weights = tf.nn.softmax(tf.reshape(scores, [batch, -1]) / memory.shape[0])
    return tf.reduce_sum(weights)


for length in range(2, 8):
    print(round(float(attend(tf.ones([length, 4]), tf.ones([length, 4]))), 3))
''',
            repaired='''\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None, 4], tf.float32)])
def attend(query, memory):
    scores = tf.matmul(query, memory, transpose_b=True)
    batch = tf.shape(scores)[0]
    weights = tf.nn.softmax(tf.reshape(scores, [batch, -1]) / tf.cast(tf.shape(memory)[0], tf.float32))
    return tf.reduce_sum(weights)


for length in range(2, 8):
    print(round(float(attend(tf.ones([length, 4]), tf.ones([length, 4]))), 3))
''',
        ),
    ),
)  # fmt: skip
