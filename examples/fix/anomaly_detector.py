"""Flag unusual readings of sensors that report a different number of values each time."""

import numpy as np
import tensorflow as tf


class Detector(tf.Module):
    def __init__(self, mean, deviation):
        super().__init__()
        self.mean = tf.Variable(mean)
        self.deviation = tf.Variable(deviation)

    @tf.function
    def flag(self, readings):
        z = (readings - self.mean) / self.deviation
        return tf.abs(z) > 1.5


rng = np.random.default_rng(11)
detector = Detector(mean=20.0, deviation=3.0)
for count in (10, 14, 9, 25, 17, 12):
    readings = tf.constant(rng.normal(20.0, 4.0, size=count), tf.float32)
    flags = detector.flag(readings)
    print(f"{count:2d} readings, {int(tf.reduce_sum(tf.cast(flags, tf.int32)))} unusual")
