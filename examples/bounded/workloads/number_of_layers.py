"""Leave a network early: the number of layers cuts a Python list of weights."""

import tensorflow as tf

FEWEST = 4
WHY = "One per depth, since the number chooses the weights while tracing, and the attempt that shows it."


def run(function):
    layers = [tf.Variable(tf.sin(tf.reshape(tf.range(9.0), [3, 3]) + phase)) for phase in range(4)]

    @function
    def forward(x, depth):
        for weights in layers[:depth]:
            x = tf.nn.relu(x @ weights)
        return x

    return [*(forward(tf.ones([2, 3]), depth) for depth in (2, 3, 4, 2, 3, 4, 3)), *layers]
