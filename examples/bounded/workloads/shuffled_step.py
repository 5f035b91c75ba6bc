"""Sum shuffled rows and divide by the step: a random op inside, though its result does not depend on the order."""

import tensorflow as tf

FEWEST = 4
WHY = (
    "Two steps as they are, and the step as a tensor; nothing can be run twice, so the graphs are compared. A "
    "trace with a number that notices shows that nobody looks at it."
)


def run(function):
    total = tf.Variable(0.0)

    @function
    def add(rows, step):
        shuffled = tf.random.shuffle(rows)
        total.assign_add(tf.reduce_sum(shuffled[:, 0]) / tf.cast(step + 1, tf.float32))
        return tf.reduce_max(shuffled, axis=0)

    rows = tf.reshape(tf.range(12.0), [6, 2])
    return [*(add(rows, step) for step in range(6)), total]
