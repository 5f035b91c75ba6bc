"""A compiled training step that uses a compiled loss, on sequences of different length."""

import tensorflow as tf

gain = tf.Variable(0.2)


@tf.function
def smoothness(signal):
    return tf.reduce_mean(tf.square(signal[1:] - signal[:-1]))


@tf.function
def train_step(signal):
    with tf.GradientTape() as tape:
        filtered = gain * signal
        loss = tf.reduce_mean(tf.square(filtered - signal)) + smoothness(filtered)
    gain.assign_sub(0.1 * tape.gradient(loss, gain))
    return loss


for length in (20, 31, 24, 45, 38, 27):
    loss = train_step(tf.sin(tf.range(length, dtype=tf.float32) / 3.0))
    print(f"length {length}: loss {loss.numpy():.4f}, gain {gain.numpy():.4f}")
