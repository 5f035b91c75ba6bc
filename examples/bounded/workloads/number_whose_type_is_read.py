"""A bandwidth as an absolute int or a relative float; the body asks which, and a tensor would be neither."""

import tensorflow as tf

FEWEST = 4
WHY = "One per number, and the trace with the number as a tensor, which is refused since it gives other values."


def run(function):
    @function
    def kernel(distances, width):
        if isinstance(width, int):
            scale = tf.cast(width, tf.float32)
        else:
            scale = tf.reduce_max(distances) * tf.cast(width, tf.float32)
        return tf.exp(-distances / scale)

    return [kernel(tf.constant([1.0, 2.0, 4.0]), width) for width in (2, 3, 4, 2, 3, 4, 2)]
