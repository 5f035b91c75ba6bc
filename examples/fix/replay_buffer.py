"""Temporal-difference errors for transitions that are drawn from a growing replay buffer."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf


class Transition(NamedTuple):
    state: tf.Tensor
    reward: tf.Tensor
    next_state: tf.Tensor


values = tf.constant([0.0, 0.1, 0.4, 0.9, 1.6])


@tf.function
def td_error(batch, discount=0.95):
    now = tf.gather(values, batch.state)
    later = tf.gather(values, batch.next_state)
    return batch.reward + discount * later - now


rng = np.random.default_rng(3)
for size in range(2, 9):
    batch = Transition(
        state=tf.constant(rng.integers(0, 5, size), tf.int32),
        reward=tf.constant(rng.normal(size=size), tf.float32),
        next_state=tf.constant(rng.integers(0, 5, size), tf.int32),
    )
    error = td_error(batch)
    print(size, "transitions, mean error", f"{tf.reduce_mean(error).numpy():.5f}")
