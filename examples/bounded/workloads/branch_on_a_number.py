"""Anneal: warm up for three epochs, then decay; which of both is chosen by a Python `if` on the epoch."""

import tensorflow as tf

FEWEST = 9
WHY = (
    "Each epoch as it is, and the trial which shows that a tensor makes the `if` a `tf.cond`: its gradient is "
    "zero where that of the branch is None."
)


def run(function):
    @function
    def anneal(values, epoch):
        if epoch < 3:
            return values * tf.cast(epoch + 1, tf.float32) / 3.0
        return values * 3.0 / tf.cast(epoch, tf.float32)

    return [anneal(tf.constant([1.0, -2.0]), epoch) for epoch in range(8)]
