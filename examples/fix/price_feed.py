"""Returns on prices that come from several sources, each with its own idea of a number."""

import numpy as np
import tensorflow as tf


@tf.function
def relative_change(prices):
    prices = tf.cast(prices, tf.float32)
    return (prices[1:] - prices[:-1]) / prices[:-1]


SOURCES = [
    np.array([100, 104, 103, 110], dtype=np.int32),  # an exchange that counts in whole units
    np.array([99.5, 100.25, 101.0, 98.0], dtype=np.float32),
    np.array([50.0, 51.0, 52.5, 50.5], dtype=np.float64),
    np.array([20, 21, 25, 24], dtype=np.int64),
    np.array([7.5, 7.25, 8.0, 8.5], dtype=np.float16),
]
for source in SOURCES:
    print(f"{source.dtype!s:8}", relative_change(tf.constant(source)).numpy().round(4))
