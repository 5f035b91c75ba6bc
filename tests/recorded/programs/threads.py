"""Four threads that trace the same functions at the same time, with other shapes and values."""

import threading

import tensorflow as tf


@tf.function
def embed(x, scale):
    for _ in range(12):
        x = tf.nn.relu(tf.linalg.matmul(x, x, transpose_b=True)) * scale
    return tf.reduce_sum(x)


@tf.function
def combine(a, b):
    return tf.concat([a, b], axis=0)


def work(number):
    for step in range(6):
        size = 2 + number + step
        embed(tf.ones([size, 4]), 0.1 * (number + 1) + step)
        combine(tf.ones([size]), tf.zeros([number + 1]))


workers = [threading.Thread(target=work, args=(number,), name=f"loader-{number}") for number in range(4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
