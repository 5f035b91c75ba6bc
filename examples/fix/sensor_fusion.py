"""Fuse whatever sensors answered in this second; each has a resolution of its own."""

import tensorflow as tf

READINGS = {
    "camera": tf.reshape(tf.linspace(0.0, 1.0, 12), [3, 4]),
    "lidar": tf.linspace(0.0, 2.0, 9),
    "radar": tf.constant([[0.3, 0.6]]),
    "sonar": tf.constant(0.7),
}
SECONDS = [
    ["camera"],
    ["camera", "lidar"],
    ["radar"],
    ["lidar", "radar"],
    ["camera", "lidar", "radar"],
    ["sonar", "camera"],
    ["sonar"],
    ["lidar", "sonar", "radar"],
]


@tf.function
def fuse(readings):
    means = [tf.reduce_mean(readings[name]) for name in sorted(readings)]
    return tf.add_n(means) / len(means)


for second, answered in enumerate(SECONDS):
    distance = fuse({name: READINGS[name] for name in answered})
    print(f"second {second}: {len(answered)} sensors, distance {distance.numpy():.4f}")
