"""To leave it, with an example."""

from __future__ import annotations

import dataclasses

from traceonce.fix.candidate import Example
from traceonce.fix.recipes import leave_it

RECIPE = dataclasses.replace(
    leave_it.RECIPE,
    examples=(
        Example(
            title="A flag with two values, and so two traces",
            function="step",
            traces_before=2,
            traces_after=2,
            program='''\
import tensorflow as tf


@tf.function
def step(x, training):
    return tf.nn.dropout(x, 0.0) if training else x


for number in range(20):
    step(tf.ones([4]), training=number % 5 != 0)
''',
        ),
    ),
)  # fmt: skip
