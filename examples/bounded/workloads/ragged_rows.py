"""Average the words of reviews, where a batch is a ragged tensor with any number of reviews."""

import tensorflow as tf

FEWEST = 2
WHY = "Row lengths are open in a ragged tensor already; the number of rows is opened at its second value."


def run(function):
    embedding = tf.reshape(tf.cos(tf.range(30.0)), [10, 3])

    @function
    def average(reviews):
        return tf.reduce_mean(tf.gather(embedding, reviews), axis=1)

    batches = (
        [[1, 2, 3], [4]],
        [[5, 6], [7, 8, 9], [1], [2, 2]],
        [[3, 4], [5, 6, 7]],
        [[1], [2], [3]],
        [[9, 8, 7, 6, 5]],
        [[1, 2], [3]],
    )
    return [average(tf.ragged.constant(batch)) for batch in batches]
