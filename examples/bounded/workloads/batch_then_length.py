"""Tag sentences: at first only their length differs, later the number of sentences, too."""

import tensorflow as tf

FEWEST = 3
WHY = "Only what varies is opened: the length at its second value, the batch size later at its own second value."


def run(function):
    @function
    def tag(scores):
        return tf.argmax(scores, axis=-1), tf.reduce_logsumexp(scores, axis=-1)

    shapes = ((4, 7, 3), (4, 9, 3), (4, 5, 3), (4, 6, 3), (2, 9, 3), (3, 7, 3), (4, 7, 3), (1, 1, 3))
    return [tag(tf.sin(tf.reshape(tf.range(float(a * b * c)), [a, b, c]))) for a, b, c in shapes]
