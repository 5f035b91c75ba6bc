"""Run a small network over time by unrolling it, with sequences of different length."""

import tensorflow as tf

kernel = tf.linalg.band_part(tf.ones([5, 5]), 0, 1) / 3.0


@tf.function
def encode(sequence):
    hidden = tf.zeros([5])
    outputs = []
    for step in tf.unstack(sequence):  # one piece of graph for every time step
        hidden = tf.tanh(tf.linalg.matvec(kernel, hidden) + step)
        outputs.append(hidden)
    return tf.reduce_mean(tf.stack(outputs), axis=0)


for length in (4, 7, 5, 9, 6, 11):
    sequence = tf.reshape(tf.sin(tf.range(length * 5, dtype=tf.float32)), [length, 5])
    print(length, "steps:", encode(sequence).numpy().round(4))
