"""Standardise whatever comes: a signal, a picture, a stack of pictures."""

import tensorflow as tf

FEWEST = 2
WHY = "The first rank is traced as it is; at the second one the rank is opened, and admits every shape."


def run(function):
    @function
    def standardise(x):
        centred = x - tf.reduce_mean(x)
        return centred / tf.sqrt(tf.reduce_mean(tf.square(centred)) + 1e-6)

    shapes = ([4], [2, 3], [2, 2, 2], [6], [3, 3], [1, 4, 2, 2], [2, 3])
    return [standardise(tf.reshape(tf.range(float(tf.reduce_prod(shape))), shape)) for shape in shapes]
