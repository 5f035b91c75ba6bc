"""A Keras layer makes its variables in the first call; the batch size varies."""

import tensorflow as tf

FEWEST = 3
WHY = "Two in the first call, one of which makes the variables, and one with an open batch size."


def run(function):
    layer = tf.keras.layers.Dense(3, activation="tanh", kernel_initializer=tf.keras.initializers.GlorotUniform(seed=1))

    @function
    def forward(batch):
        return layer(batch)

    outputs = [forward(tf.ones([rows, 4]) * rows) for rows in (4, 2, 3, 5, 4, 1)]
    return [*outputs, *layer.variables]
