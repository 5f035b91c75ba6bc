"""Powers up to a degree: a Python list has as many parts as the number says."""

import tensorflow as tf

FEWEST = 4
WHY = "One per degree, since the number decides how many outputs there are, and the attempt that shows it."


def run(function):
    @function
    def powers(x, degree):
        return [x**power for power in range(degree)]

    return [powers(tf.constant([2.0, 3.0]), degree) for degree in (1, 2, 3, 1, 2, 3, 2)]
