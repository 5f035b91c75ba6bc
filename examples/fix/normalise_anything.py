"""Scale signals of any kind (a row of samples, an image, a batch of images) to unit energy."""

import numpy as np
import tensorflow as tf


@tf.function
def unit_energy(signal):
    energy = tf.sqrt(tf.reduce_sum(tf.square(signal)))
    return signal / tf.maximum(energy, 1e-6)


shapes = [(16,), (4, 4), (2, 4, 4), (2, 4, 4, 3), (2, 2, 4, 4, 3)]
for shape in shapes:
    samples = np.linspace(-1.0, 1.0, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    scaled = unit_energy(tf.constant(samples))
    print(f"{shape!s:18} peak {np.abs(scaled.numpy()).max():.4f}")
