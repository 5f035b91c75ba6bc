"""Discount rewards by how many days they take: a Python int in an expression of floats."""

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two delays as they are, and the delay as a tensor of the dtype that the constant had in these traces. A "
    "trace with a number that notices shows that nobody looks at it."
)


def run(function):
    @function
    def discount(rewards, delay):
        return rewards / (1.0 + 0.25 * delay)

    return [discount(tf.constant([1.0, 2.0, 4.0]), delay) for delay in (0, 1, 2, 5, 1, 30)]
