"""Smooth temperatures with a compiled lambda."""

import tensorflow as tf

hourly = tf.constant([11.0, 12.5, 13.0, 19.0, 14.5, 15.0, 14.0])

smoothed = []
for start in range(5):
    middle = tf.function(lambda values: tf.sort(values)[1])(hourly[start : start + 3])
    smoothed.append(float(middle))
print("smoothed:", smoothed)
