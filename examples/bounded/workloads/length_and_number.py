"""Smooth series of varying length with a factor that changes at the same time."""

import tensorflow as tf

FEWEST = 5
WHY = (
    "The first call; the open length; then, at this length, a second factor and the factor as a tensor. A trace "
    "with a number that notices shows that nobody looks at it."
)


def run(function):
    @function
    def smooth(series, factor):
        shifted = tf.concat([series[:1], series[:-1]], axis=0)
        return factor * series + (1.0 - factor) * shifted

    return [smooth(tf.sin(tf.range(4.0 + turn)), 0.9 - 0.1 * turn) for turn in range(8)]
