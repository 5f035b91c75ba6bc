"""Throw balls: the simulation step comes from a factory that is asked for it each time."""

import tensorflow as tf

GRAVITY = 9.81


def make_step():
    @tf.function
    def step(height, speed):
        dt = 0.05
        speed = speed - GRAVITY * dt
        return tf.maximum(height + speed * dt, 0.0), speed

    return step


for throw in range(1, 6):
    height, speed = tf.constant(1.0), tf.constant(2.0 * throw)
    for _ in range(4):
        height, speed = make_step()(height, speed)
    print(f"throw {throw}: height {height.numpy():.3f} speed {speed.numpy():.3f}")
