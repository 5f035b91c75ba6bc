"""A Python comparison of a tensor, which cannot be traced: the program dies of it."""

import tensorflow as tf


@tf.function
def keep_positive(x):
    return [value for value in [x] if value > 0]


@tf.function
def double(x):
    return x * 2


double(tf.constant(1.0))
keep_positive(tf.constant(1.0))
