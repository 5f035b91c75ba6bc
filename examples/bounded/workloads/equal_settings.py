"""Resize by settings that every call makes anew: frozen dataclasses that are equal."""

from dataclasses import dataclass

import tensorflow as tf

FEWEST = 1
WHY = "The settings are equal in every call, also when the object of the call before is gone."


@dataclass(frozen=True)
class Settings:
    size: tuple
    method: str = "bilinear"


def run(function):
    @function
    def resize(image, settings):
        return tf.image.resize(image, settings.size, method=settings.method)

    image = tf.reshape(tf.range(16.0), [4, 4, 1])
    return [resize(image, Settings(size=(2, 3))) for _ in range(6)]
