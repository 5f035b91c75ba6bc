"""Three flags choose how a row is augmented: eight graphs, one for each combination."""

import itertools

import tensorflow as tf


@tf.function
def augment(row, flip, invert, halve):
    if flip:
        row = tf.reverse(row, axis=[0])
    if invert:
        row = 1.0 - row
    return row * 0.5 if halve else row


for number, flags in enumerate(itertools.product((False, True), repeat=3)):
    print(augment(tf.constant([0.1, 0.2, 0.3]) * number, *flags).numpy().round(3))
