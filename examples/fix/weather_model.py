"""The model of weather_report.py: a weighted moving average."""

import tensorflow as tf


@tf.function
def forecast(temperatures, trend):
    weights = tf.nn.softmax(tf.range(tf.size(temperatures), dtype=tf.float32) / 2.0)
    return tf.reduce_sum(weights * temperatures) + trend


def describe(value):
    return "warm" if value > 15.0 else "cold"
