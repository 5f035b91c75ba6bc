"""One Keras model is trained in stages, and compiled again for each with a smaller learning rate."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(3)
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(1)])
x = np.random.default_rng(0).normal(size=(32, 2)).astype("float32")
y = x[:, :1] * x[:, 1:]

for stage in range(4):
    model.compile(optimizer=tf.keras.optimizers.Adam(0.05 / (stage + 1)), loss="mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history
    print(stage, [round(loss, 4) for loss in history["loss"]], round(history["mae"][-1], 4))
