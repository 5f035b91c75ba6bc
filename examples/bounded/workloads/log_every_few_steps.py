"""Print to a file at every third step, decided by a Python `if` on the step of a function with state."""

import tempfile
from pathlib import Path

import tensorflow as tf

FEWEST = 7
WHY = "One per step and the attempt that shows it: with a branch the graphs are not alike, and state forbids a try."


def run(function):
    weight = tf.Variable(1.0)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"

        @function
        def train_step(x, step):
            weight.assign_sub(0.1 * weight * x)
            if step % 3 == 0:
                tf.print("weight", weight, output_stream=f"file://{log}")
            return weight.read_value()

        weights = [train_step(tf.constant(0.5), step) for step in range(6)]
        return [*weights, weight, log.read_text()]
