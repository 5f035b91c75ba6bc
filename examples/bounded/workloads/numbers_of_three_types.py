"""Fill with 1, 1.0 or True: equal in Python, but they fill with three dtypes."""

import tensorflow as tf

FEWEST = 3
WHY = "One per Python type, since the type decides the dtype of the result; the value never differs."


def run(function):
    @function
    def fill(value):
        return tf.fill([2, 2], value)

    return [fill(value) for _ in range(3) for value in (1, 1.0, True)]
