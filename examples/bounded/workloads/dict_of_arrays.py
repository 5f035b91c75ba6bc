"""Masked loss over batches as a data loader gives them: a dict of NumPy arrays, padded to their longest row."""

import numpy as np
import tensorflow as tf

FEWEST = 2
WHY = "The first length, and one trace in which the three arrays have an open length."


def run(function):
    @function
    def loss(batch):
        errors = tf.square(batch["inputs"]["values"] - batch["targets"])
        mask = tf.cast(batch["inputs"]["mask"], tf.float32)
        return {"sum": tf.reduce_sum(errors * mask), "count": tf.reduce_sum(mask)}

    def load(length):
        values = np.linspace(0.0, 1.0, 4 * length, dtype=np.float32).reshape(4, length)
        mask = np.arange(length) < np.arange(1, 5)[:, np.newaxis]
        return {"inputs": {"values": values, "mask": mask}, "targets": np.flip(values, 1).copy()}

    return [loss(load(length)) for length in (6, 4, 9, 5, 6, 4)]
