"""A layer whose dropout rate rises while it trains."""

import tensorflow as tf

tf.random.set_seed(99)
kernel = tf.reshape(tf.linspace(-1.0, 1.0, 32), [8, 4])


@tf.function
def layer(x, training, rate):
    y = tf.nn.relu(x @ kernel)
    if training:
        keep = tf.random.uniform(tf.shape(y)) >= rate
        y = tf.where(keep, y / (1.0 - rate), 0.0)
    return y


x = tf.reshape(tf.linspace(0.0, 1.0, 24), [3, 8])
for epoch in range(6):
    rate = 0.05 * (epoch + 1)
    trained = layer(x, True, rate)
    evaluated = layer(x, False, rate)
    print(f"rate {rate:.2f}", f"{tf.reduce_sum(trained):.4f}", f"{tf.reduce_sum(evaluated):.4f}")
