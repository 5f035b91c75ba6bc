"""Decode greedily where the caller also counts the position in Python: two things grow in every call."""

import tensorflow as tf

FEWEST = 5
WHY = (
    "The first call; the open length; then, at this length, a second position and the position as a tensor. A "
    "trace with a number that notices shows that nobody looks at it."
)


def run(function):
    table = tf.reshape(tf.sin(tf.range(64.0) * 3.0), [8, 8])
    places = tf.reshape(tf.cos(tf.range(128.0) * 7.0), [16, 8])

    @function
    def next_token(tokens, position):
        context = tf.reduce_mean(tf.gather(table, tokens), axis=1) + places[position]
        return tf.argmax(context, axis=-1, output_type=tf.int32)[:, tf.newaxis]

    tokens, outputs = tf.constant([[1], [5]]), []
    for position in range(8):
        outputs.append(next_token(tokens, position))
        tokens = tf.concat([tokens, outputs[-1]], axis=1)
    return outputs
