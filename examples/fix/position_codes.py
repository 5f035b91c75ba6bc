"""Add sine position codes to sequences of different length."""

import tensorflow as tf

WIDTH = 8
rates = tf.pow(10000.0, -tf.range(0, WIDTH, 2, dtype=tf.float32) / WIDTH)


@tf.function
def add_positions(tokens):
    positions = tf.cast(tf.range(tokens.shape[1]), tf.float32)
    angles = positions[:, tf.newaxis] * rates
    codes = tf.concat([tf.sin(angles), tf.cos(angles)], axis=-1)
    return tokens + codes


for length in (5, 9, 6, 14, 11):
    tokens = tf.zeros([2, length, WIDTH])
    coded = add_positions(tokens)
    print(length, f"{tf.reduce_sum(coded).numpy():.4f}")
