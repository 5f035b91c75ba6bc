"""Scale gradients with a cosine schedule that is worked out with the math module."""

import math

import tensorflow as tf

TOTAL = 8


@tf.function
def scaled(gradient, step):
    factor = 0.5 * (1.0 + math.cos(math.pi * step / TOTAL))
    return gradient * factor


gradient = tf.constant([1.0, -2.0, 0.5])
for step in range(TOTAL):
    print(step, scaled(gradient, step).numpy().round(4))
