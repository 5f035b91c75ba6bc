"""Write the loss of every step to an event file, under the step that the caller counts in Python."""

import tempfile
from pathlib import Path

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two steps as they are, and the step as a tensor; nothing can be run twice, so the graphs are compared. A "
    "trace with a number that notices shows that nobody looks at it."
)


def run(function):
    weight = tf.Variable(2.0)
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.create_file_writer(folder)

        @function
        def train_step(x, step):
            loss = tf.square(weight * x)
            weight.assign_sub(0.01 * weight * x)
            with writer.as_default():
                tf.summary.write("loss", loss, step=step)
            return loss

        losses = [train_step(tf.constant(3.0), step) for step in range(6)]
        writer.close()
        return [*losses, weight, *written(folder)]


def written(folder):
    """Step and value of every entry in the event file."""
    (path,) = Path(folder).iterdir()
    for record in tf.data.TFRecordDataset(str(path)):
        event = tf.compat.v1.Event.FromString(record.numpy())
        for value in event.summary.value:
            yield event.step, tf.make_ndarray(value.tensor)
