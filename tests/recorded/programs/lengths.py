"""A function compiled by XLA: one trace, but one program for every new length."""

import tensorflow as tf


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 32], tf.float32)])
def normalise(x):
    return x / (1e-6 + tf.norm(x, axis=-1, keepdims=True))


for length in (3, 5, 8, 13, 21, 34, 55, 89):
    for _ in range(3):
        normalise(tf.random.normal([length, 32]))
