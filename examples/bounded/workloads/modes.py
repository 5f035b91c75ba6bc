"""Normalise by the batch in training and by running statistics else: a bool and a string say how."""

import tensorflow as tf

FEWEST = 3
WHY = "One per combination that occurs: bools and strings choose between programs."


def run(function):
    mean = tf.Variable([0.0, 0.0])

    @function
    def normalise(batch, training, norm="l2"):
        if training:
            mean.assign(0.9 * mean + 0.1 * tf.reduce_mean(batch, axis=0))
        centred = batch - (tf.reduce_mean(batch, axis=0) if training else mean)
        scale = tf.norm(centred) if norm == "l2" else tf.reduce_max(tf.abs(centred))
        return centred / scale

    batch = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    outputs = []
    for _ in range(3):
        outputs += [normalise(batch, True), normalise(batch, training=False), normalise(batch, False, "max")]
    return [*outputs, mean]
