"""A loss with its parameter bound by `functools.partial` in every call; two parameters take turns."""

import functools

import tensorflow as tf

FEWEST = 2
WHY = "One per parameter: partials of one function with equal arguments are equal."


def huber(error, delta):
    small = tf.abs(error) <= delta
    return tf.where(small, tf.square(error) / 2.0, delta * (tf.abs(error) - delta / 2.0))


def run(function):
    @function
    def mean_loss(loss, error):
        return tf.reduce_mean(loss(error))

    error = tf.constant([-3.0, -0.5, 0.25, 2.0])
    return [mean_loss(functools.partial(huber, delta=delta), error) for delta in (1.0, 2.0) * 3]
