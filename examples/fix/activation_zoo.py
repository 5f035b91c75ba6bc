"""Apply an activation by its name to layers of different width."""

import tensorflow as tf


@tf.function
def activate(x, kind):
    if kind == "relu":
        return tf.nn.relu(x)
    if kind == "tanh":
        return tf.tanh(x)
    raise ValueError(kind)


for width in (4, 6, 9, 12, 7, 10, 15, 5):
    x = tf.linspace(-2.0, 2.0, width)
    for kind in ("relu", "tanh"):
        print(f"{kind} of {width:2d}: {tf.reduce_sum(tf.abs(activate(x, kind))).numpy():.4f}")
