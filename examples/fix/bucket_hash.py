"""Spread users over buckets with a multiplicative hash; each experiment has its own large multiplier."""

import tensorflow as tf


@tf.function
def bucket(users, multiplier):
    return (users * multiplier) % 1000


users = tf.constant([1, 17, 4242, 99991], tf.int64)
for experiment in range(6):
    multiplier = 2**34 + 2 * experiment + 1
    print("experiment", experiment, bucket(users, multiplier).numpy())
