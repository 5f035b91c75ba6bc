"""Two epochs over ten rows in batches of four: the last batch of each epoch has two rows."""

import tensorflow as tf

FEWEST = 2
WHY = "The full batch, and one trace with an open batch size for the partial one."


def run(function):
    rows = tf.data.Dataset.from_tensor_slices(tf.reshape(tf.range(30.0), [10, 3])).batch(4)
    weights = tf.Variable(tf.ones([3, 1]) * 0.1)

    @function
    def train_step(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch @ weights - 1.0))
        weights.assign_sub(0.0005 * tape.gradient(loss, weights))
        return loss

    return [*(train_step(batch) for _ in range(2) for batch in rows), weights]
