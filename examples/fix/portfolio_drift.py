"""Prices in float64, which the function holds itself: a rate that is a Python float belongs in float64, too."""

import tensorflow as tf

prices = tf.constant([101.25, 99.5, 250.125], tf.float64)


@tf.function
def drifted(rate, days):
    return tf.reduce_sum(prices * (1.0 + rate) ** days)


for day in range(1, 9):
    print(day, round(float(drifted(0.01 / day, day)), 6))
