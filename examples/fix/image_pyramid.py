"""Sum the brightness over the levels of image pyramids of different sizes."""

import tensorflow as tf


def build_pyramid(height, width):
    image = tf.reshape(tf.range(height * width, dtype=tf.float32), [height, width]) / float(height * width)
    levels = [image]
    for _ in range(2):
        levels.append(levels[-1][::2, ::2])
    return levels


@tf.function
def brightness(levels):
    total = tf.constant(0.0)
    for level in levels:
        total += tf.reduce_mean(level)
    return total / len(levels)


for size in [(32, 48), (40, 40), (64, 24), (56, 72), (80, 16)]:
    print(size, f"{brightness(build_pyramid(*size)).numpy():.5f}")
