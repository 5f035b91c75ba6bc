"""One flag, two graphs: training and evaluation of a layer with dropout."""

import tensorflow as tf

kernel = tf.reshape(tf.linspace(-1.0, 1.0, 20), [5, 4])


@tf.function
def layer(x, training):
    y = tf.nn.relu(x @ kernel)
    if training:
        y = tf.nn.experimental.stateless_dropout(y, rate=0.5, seed=[1, 2])
    return y


for epoch in range(10):
    x = tf.reshape(tf.sin(tf.range(10, dtype=tf.float32) + epoch), [2, 5])
    trained, evaluated = layer(x, training=True), layer(x, training=False)
    print(epoch, f"{tf.reduce_sum(trained).numpy():.4f} {tf.reduce_sum(evaluated).numpy():.4f}")
