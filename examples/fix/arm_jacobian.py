"""The Jacobian of a robot's arm along a path, worked out eagerly at every point."""

import tensorflow as tf

lengths = tf.constant([1.0, 0.7])


def hand(angles):
    total = tf.cumsum(angles)
    return tf.stack([tf.reduce_sum(lengths * tf.cos(total)), tf.reduce_sum(lengths * tf.sin(total))])


def jacobian(angles):
    with tf.GradientTape() as tape:
        tape.watch(angles)
        place = hand(angles)
    return tape.jacobian(place, angles)


for step in range(6):
    angles = tf.constant([0.1 * step, 0.5 - 0.05 * step])
    print(step, jacobian(angles).numpy().round(4).tolist())
