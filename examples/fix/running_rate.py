"""A meter that counts its calls in Python, and divides by the count in the body."""

import tensorflow as tf


class Meter:
    def __init__(self):
        self.calls = 0
        self.total = tf.Variable(0.0)

    @tf.function
    def add(self, amount):
        self.calls += 1
        self.total.assign_add(amount)
        return self.total / self.calls


meter = Meter()
for number in range(5):
    print(f"{float(meter.add(tf.constant(1.5 * number))):.3f}")
print(meter.calls, "calls")
