"""A mean with optional weights: None, or a tensor."""

import tensorflow as tf

FEWEST = 2
WHY = "Without weights and with them: two structures, two programs."


def run(function):
    @function
    def mean(values, weights=None):
        if weights is None:
            return tf.reduce_mean(values)
        return tf.reduce_sum(values * weights) / tf.reduce_sum(weights)

    values, weights = tf.constant([1.0, 2.0, 6.0]), tf.constant([3.0, 2.0, 1.0])
    return [call for _ in range(3) for call in (mean(values), mean(values, weights), mean(values, weights=None))]
