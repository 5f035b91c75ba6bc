"""Scale by lambdas that look up a factor when they run: in a variable around them, and in a global."""

import tensorflow as tf

FEWEST = 4
WHY = "Two functions, two factors each: the lambdas have one code, but what they find differs."

FACTOR = 1.0


def run(function):
    global FACTOR

    @function
    def near(scale, values):
        return scale(values)

    @function
    def far(scale, values):
        return scale(values)

    values, outputs = tf.constant([1.0, -2.0]), []
    for factor in (1.0, 1.0, 3.0, 3.0, 1.0, 3.0):
        FACTOR = factor
        outputs.append(near(lambda x: x * factor, values))  # noqa: B023  # it is called in this turn
        outputs.append(far(lambda x: x * FACTOR, values))  # noqa: B023
    return outputs
