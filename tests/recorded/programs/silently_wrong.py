"""Two functions that answer with an old value: a global that changed, and 1 where True was traced."""

import tensorflow as tf

TEMPERATURE = 1.0


@tf.function
def soften(logits):
    return tf.nn.softmax(logits / TEMPERATURE)


@tf.function
def describe(flag):
    return tf.constant(str(flag))


for _ in range(5):
    print(f"T = {TEMPERATURE:4.1f}:", soften(tf.constant([2.0, 1.0, 0.1])).numpy().round(3))
    TEMPERATURE *= 2.0
print(describe(1).numpy(), describe(True).numpy())
