"""A Keras optimizer with momentum whose learning rate is worked out in Python and passed in every step."""

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two rates as they are, and the rate as a tensor, whose graph is like both but for the constant. A trace with "
    "a number that notices shows that nobody looks at it."
)


def run(function):
    weights = tf.Variable([[0.5], [-0.5]])
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)
    optimizer.build([weights])

    @function
    def train_step(x, y, rate):
        optimizer.learning_rate.assign(rate)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weights - y))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    x, y = tf.constant([[1.0, 2.0], [0.5, -1.0]]), tf.constant([[3.0], [0.0]])
    return [*(train_step(x, y, 0.1 * 0.7**epoch) for epoch in range(8)), weights, *optimizer.variables]
