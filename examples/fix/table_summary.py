"""Summarise tables; what is done to a table is told by a little formula in its header."""

import tensorflow as tf

TABLES = {
    "mean of squares": [1.0, 2.0, 3.0],
    "sum of roots": [4.0, 9.0, 16.0],
    "max of squares": [0.5, 1.5, 2.5],
    "mean of roots": [1.0, 4.0, 25.0],
    "sum of squares": [2.0, 4.0, 6.0],
    "max of roots": [36.0, 49.0, 1.0],
}
OUTER = {"mean": tf.reduce_mean, "sum": tf.reduce_sum, "max": tf.reduce_max}
INNER = {"squares": tf.square, "roots": tf.sqrt}


@tf.function
def summarise(values, formula):
    outer, _, inner = formula.split()
    return OUTER[outer](INNER[inner](values))


for formula, values in TABLES.items():  # every table is read once
    print(f"{formula}: {summarise(tf.constant(values), formula).numpy():.3f}")
