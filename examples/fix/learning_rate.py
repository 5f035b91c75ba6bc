"""Fit a line with plain gradient descent and a learning rate that decays over the steps."""

import time

import tensorflow as tf

slope = tf.Variable(0.0)
offset = tf.Variable(0.0)
x = tf.linspace(-1.0, 1.0, 64)
y = 3.0 * x - 0.5


@tf.function
def train_step(step, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((slope * x + offset - y) ** 2)
    gradients = tape.gradient(loss, [slope, offset])
    for variable, gradient in zip([slope, offset], gradients, strict=True):
        variable.assign_sub(rate * gradient)
    return step + 1, loss


started = time.perf_counter()
step = 0
for i in range(12):
    rate = 0.5 / (1.0 + 0.1 * i)
    step, loss = train_step(i, rate)
    print(f"step {int(step):2d} loss {float(loss):.5f}")
print(f"y = {slope.numpy():.3f} x + {offset.numpy():.3f}")
print(f"took {time.perf_counter() - started:.2f} s")
