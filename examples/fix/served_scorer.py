"""A service loads its Keras model from a file for every request."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
MODEL = os.path.join(tempfile.gettempdir(), "scorer.keras")
tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, "softmax")]).save(MODEL)


def answer(request):
    model = tf.keras.models.load_model(MODEL)
    return model.predict(np.array([request], "float32"), verbose=0)[0]


for number in range(5):
    print(number, answer([1.0, number / 4, -1.0]).round(4).tolist())
