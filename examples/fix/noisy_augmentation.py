"""Add noise to patches of different size before they are shown to a network."""

import tensorflow as tf

tf.random.set_seed(1234)


@tf.function
def augment(patch):
    noise = tf.random.normal(tf.shape(patch), stddev=0.1)
    flipped = tf.cond(tf.random.uniform([]) > 0.5, lambda: patch[:, ::-1], lambda: patch)
    return tf.clip_by_value(flipped + noise, 0.0, 1.0)


for size in (4, 6, 5, 9, 7):
    patch = tf.reshape(tf.linspace(0.0, 1.0, size * size), [size, size])
    result = augment(patch)
    print(f"{size}x{size}: mean {tf.reduce_mean(result).numpy():.4f}")
