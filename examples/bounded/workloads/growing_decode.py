"""Decode greedily: the text so far goes in, one token comes out and is appended."""

import tensorflow as tf

FEWEST = 2
WHY = "The prompt's length, and one trace with an open length for all that follow."


def run(function):
    table = tf.Variable(tf.reshape(tf.sin(tf.range(64.0) * 3.0), [8, 8]))

    @function
    def next_token(tokens):
        weights = tf.nn.softmax(tf.range(tf.cast(tf.shape(tokens)[1], tf.float32)))
        context = tf.einsum("l,bld->bd", weights, tf.gather(table, tokens))
        return tf.argmax(context, axis=-1, output_type=tf.int32)[:, tf.newaxis]

    tokens, outputs = tf.constant([[1], [5]]), []
    for _ in range(8):
        outputs.append(next_token(tokens))
        tokens = tf.concat([tokens, outputs[-1]], axis=1)
    return [*outputs, table]
