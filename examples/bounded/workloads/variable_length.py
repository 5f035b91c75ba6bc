"""Score sentences one by one; each has its own length."""

import tensorflow as tf

FEWEST = 2
WHY = "The first length is traced as it is; at the second the dimension is opened, and admits every other one."


def run(function):
    embedding = tf.reshape(tf.sin(tf.range(40.0)), [10, 4])

    @function
    def score(tokens):
        words = tf.gather(embedding, tokens)
        return tf.reduce_mean(tf.nn.softmax(words), axis=0)

    return [score(tf.range(length) % 10) for length in (5, 9, 7, 12, 5, 8, 9, 3)]
