"""A sum over steps in a variable that each call makes anew, which TensorFlow refuses while tracing."""

import tensorflow as tf


@tf.function
def drift(start):
    position = tf.Variable(1.0)
    for step in tf.range(4):
        position.assign(0.5 * position + tf.reduce_sum(start) / tf.cast(step + 1, tf.float32))
    return position.read_value()


for value in (0.5, 1.0, 2.0):
    print(f"{float(drift(tf.constant([value, -0.25]))):.4f}")
