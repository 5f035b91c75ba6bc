"""Divide by the length where it is known while tracing, else by a default: an open length traces, and is wrong."""

import tensorflow as tf

FEWEST = 4
WHY = "One per length, and the trace with an open length, which is refused since it gives other values."


def run(function):
    @function
    def power(samples):
        length = samples.shape[0]
        return tf.reduce_sum(tf.square(samples)) / (256.0 if length is None else float(length))

    return [power(tf.sin(tf.range(float(length)))) for length in (3, 4, 5, 3, 4, 5, 3)]
