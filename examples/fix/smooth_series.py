"""Exponential smoothing of several series; the factor is tuned per series."""

import tensorflow as tf


@tf.function
def smooth(series, factor=0.5, start=0.0):
    def blend(previous, value):
        return factor * value + (1.0 - factor) * previous

    return tf.scan(blend, series, initializer=tf.zeros([]) + start)


sales = tf.constant([3.0, 5.0, 4.0, 8.0, 6.0, 7.0])
print("default", smooth(sales).numpy().round(3))
for factor in (0.1, 0.25, 0.75, 0.9):
    print("factor", factor, smooth(sales, factor=factor).numpy().round(3))
print("warm start", smooth(sales, 0.3, start=4.0).numpy().round(3))
print("warm start", smooth(sales, start=2.5, factor=0.2).numpy().round(3))
