"""Blur images with settings that are put together for each image."""

import tensorflow as tf


class BlurSettings:
    def __init__(self, strength, passes):
        self.strength = strength
        self.passes = passes


@tf.function
def blur(image, settings):
    for _ in range(settings.passes):
        neighbours = tf.roll(image, 1, axis=0) + tf.roll(image, -1, axis=0)
        image = image + settings.strength * (neighbours / 2.0 - image)
    return image


results = []
for n in range(7):
    settings = BlurSettings(strength=0.25, passes=2)
    image = tf.reshape(tf.sin(tf.range(36, dtype=tf.float32) * (n + 1)), [6, 6])
    results.append(float(tf.math.reduce_std(blur(image, settings))))
print("contrast left:", [f"{value:.4f}" for value in results])
