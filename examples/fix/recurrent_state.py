"""Run a tiny recurrent cell whose state is a tuple (hidden, memory) on batches of different size."""

import tensorflow as tf

UNITS = 6
kernel = tf.linalg.band_part(tf.ones([UNITS, UNITS]), 1, 1) / 4.0


@tf.function
def advance(inputs, state):
    hidden, memory = state
    memory = 0.9 * memory + inputs
    hidden = tf.tanh(hidden @ kernel + memory)
    return hidden, (hidden, memory)


for rows in (3, 8, 5, 2, 7):
    state = (tf.zeros([rows, UNITS]), tf.zeros([rows, UNITS]))
    for t in range(2):
        inputs = tf.fill([rows, UNITS], 0.1 * (t + 1))
        output, state = advance(inputs, state)
    print(rows, "rows, mean output", f"{tf.reduce_mean(output).numpy():.5f}")
