"""Evaluate forecasts with a loss whose threshold is fixed with functools.partial."""

import functools

import tensorflow as tf


def huber(error, delta):
    small = tf.abs(error) <= delta
    return tf.where(small, 0.5 * error**2, delta * (tf.abs(error) - 0.5 * delta))


@tf.function
def evaluate(truth, guess, loss):
    return tf.reduce_mean(loss(truth - guess))


truth = tf.constant([1.0, 2.0, 3.0, 4.0])
for bias in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5):
    value = evaluate(truth, truth + bias, functools.partial(huber, delta=1.0))
    print(f"bias {bias}: {value.numpy():.4f}")
