"""A network that is told by name whether it trains or evaluates."""

import tensorflow as tf

scale = tf.Variable(1.0)


@tf.function
def run(x, mode):
    y = tf.reduce_mean(x * scale)
    if mode == "train":
        scale.assign_sub(0.1 * y)
    return y


x = tf.constant([1.0, 2.0, 3.0])
for epoch in range(12):
    run(x, "train")
    if epoch % 3 == 2:
        print(f"epoch {epoch}: {run(x, 'eval').numpy():.4f}")
