"""Power of recordings of different length: the sum of squares over the number of samples."""

import tensorflow as tf


@tf.function
def power(samples):
    return tf.reduce_sum(tf.square(samples)) / samples.shape[0]


for length in (100, 160, 80, 240, 120):
    samples = tf.sin(tf.range(length, dtype=tf.float32) / 7.0)
    print(f"{length} samples: {power(samples).numpy():.6f}")
print("graphs built:", power.experimental_get_tracing_count())
