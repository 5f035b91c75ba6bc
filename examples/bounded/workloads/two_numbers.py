"""Fade between two pictures: the frame and the strength differ in every call."""

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two calls as they are, and one trace with both numbers as tensors: they changed together. A trace with a "
    "number that notices shows that nobody looks at it."
)


def run(function):
    first, second = tf.ones([2, 2]), tf.reshape(tf.range(4.0), [2, 2])

    @function
    def fade(frame, strength):
        share = tf.cast(frame, tf.float32) / 8.0
        return strength * ((1.0 - share) * first + share * second)

    return [fade(frame, 1.0 / (1.0 + frame)) for frame in range(8)]
