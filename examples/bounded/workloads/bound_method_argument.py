"""Integrate a pendulum: its method is passed as an argument, and each look-up makes a new bound method."""

import tensorflow as tf

FEWEST = 1
WHY = "It is one method of one object in every call."


class Pendulum:
    def __init__(self):
        self.length = tf.Variable(2.0)

    def acceleration(self, state):
        angle, speed = tf.unstack(state)
        return tf.stack([speed, -9.81 / self.length * tf.sin(angle)])


def run(function):
    @function
    def advance(derivative, state, dt):
        middle = state + dt / 2.0 * derivative(state)
        return state + dt * derivative(middle)

    pendulum, states = Pendulum(), [tf.constant([0.5, 0.0])]
    for _ in range(6):
        states.append(advance(pendulum.acceleration, states[-1], 0.01))
    return [*states, pendulum.length]
