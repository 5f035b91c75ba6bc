"""What each hidden layer makes of a picture: a model up to that layer, built for every picture and layer."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
inputs = tf.keras.Input((6,))
edges = tf.keras.layers.Dense(5, activation="relu", name="edges")(inputs)
shapes = tf.keras.layers.Dense(3, activation="relu", name="shapes")(edges)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(shapes))


def activations(layer, picture):
    probe = tf.keras.Model(model.inputs, model.get_layer(layer).output)
    return probe.predict(picture[None], verbose=0)[0]


for picture in np.linspace(0.0, 1.0, 24, dtype="float32").reshape(4, 6):
    print([activations(layer, picture).sum().round(4) for layer in ("edges", "shapes")])
