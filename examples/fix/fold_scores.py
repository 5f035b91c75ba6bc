"""Cross-validation: a small network is built, trained and scored for each fold."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(9)
x = np.linspace(-1.0, 1.0, 24, dtype="float32").reshape(12, 2)
y = (x[:, :1] > 0).astype("float32")


def build():
    network = tf.keras.Sequential(
        [
            tf.keras.Input((2,)),
            tf.keras.layers.Dense(3, activation="tanh"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile(optimizer=tf.keras.optimizers.Adam(0.05), loss="binary_crossentropy")
    return network


for fold in range(3):
    held_out = np.arange(12) % 3 == fold
    network = build()
    for _ in range(2):
        network.train_on_batch(x[~held_out], y[~held_out])
    print(f"fold {fold}: {network.test_on_batch(x[held_out], y[held_out]):.4f}")
