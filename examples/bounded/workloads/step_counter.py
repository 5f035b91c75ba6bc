"""A training step that is told by a Python int how far the training is, and keeps a running mean of its weights."""

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two steps as they are, and the step as a tensor, whose graph is like both but for the constant. A trace with "
    "a number that notices shows that nobody looks at it."
)


def run(function):
    weights = tf.Variable([0.5, -0.5])
    average = tf.Variable([0.0, 0.0])

    @function
    def train_step(x, y, step):
        with tf.GradientTape() as tape:
            loss = tf.square(tf.reduce_sum(x * weights) - y)
        weights.assign_sub(0.05 * tape.gradient(loss, weights))
        share = 1.0 / tf.cast(step + 1, tf.float32)
        average.assign_add(share * (weights - average))
        return loss

    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    return [*(train_step(x, y, step) for step in range(8)), weights, average]
