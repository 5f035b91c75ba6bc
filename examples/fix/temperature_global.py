"""Soften the output of a classifier more and more with a global temperature."""

import tensorflow as tf

TEMPERATURE = 1.0
logits = tf.constant([2.0, 1.0, 0.1])


@tf.function
def soften(values):
    return tf.nn.softmax(values / TEMPERATURE)


for _ in range(5):
    print(f"T = {TEMPERATURE:4.1f}:", soften(logits).numpy().round(3))
    TEMPERATURE *= 2.0
