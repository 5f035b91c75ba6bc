"""Run a cell over the steps of a sequence by `tf.unstack`, which has to know how many there are."""

import tensorflow as tf

FEWEST = 4
WHY = "One per length, since no trace without the length exists, and the attempt that shows it."


def run(function):
    kernel = tf.reshape(tf.sin(tf.range(4.0)), [2, 2])

    @function
    def unroll(sequence):
        state = tf.zeros([2])
        for step in tf.unstack(sequence):
            state = tf.tanh(tf.linalg.matvec(kernel, state) + step)
        return state

    return [unroll(tf.reshape(tf.range(2.0 * length), [length, 2])) for length in (3, 4, 5, 3, 4, 5, 3)]
