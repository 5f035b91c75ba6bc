"""A pendulum, integrated with a general solver that takes the derivative as an argument."""

import tensorflow as tf


@tf.function
def euler(derivative, state, dt):
    return state + dt * derivative(state)


class Pendulum:
    def __init__(self, length):
        self.length = length

    def derivative(self, state):
        angle, speed = tf.unstack(state)
        return tf.stack([speed, -9.81 / self.length * tf.sin(angle)])

    def swing(self, steps):
        state = tf.constant([0.5, 0.0])
        dt = tf.constant(0.01)
        for _ in range(steps):
            state = euler(self.derivative, state, dt)
        return state


print("after 8 steps:", Pendulum(length=2.0).swing(8).numpy().round(5))
