"""Gradient descent with a learning rate that a closure holds and lowers."""

import tensorflow as tf


def make_optimiser(rate):
    @tf.function
    def update(position):
        gradient = 2.0 * (position - 3.0)
        return position - rate * gradient

    def lower():
        nonlocal rate
        rate *= 0.5

    return update, lower


update, lower = make_optimiser(0.4)
position = tf.constant(10.0)
for step in range(6):
    position = update(position)
    lower()
    print(f"step {step}: position {position.numpy():.4f}")
