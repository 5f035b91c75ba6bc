"""One small Keras 2 network (tf_keras) for each season, trained and asked in turn."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tf_keras

random = np.random.default_rng(0)
tf_keras.utils.set_random_seed(1)
SEASONS = {"spring": 12.0, "summer": 23.0, "autumn": 11.0, "winter": 2.0}


def build():
    model = tf_keras.Sequential([tf_keras.layers.Dense(8, activation="relu"), tf_keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    return model


for season, typical in SEASONS.items():
    days = random.normal(size=(32, 3)).astype("float32")
    warmth = (typical + days.sum(axis=1, keepdims=True)).astype("float32")
    model = build()
    model.fit(days, warmth, epochs=2, verbose=0)
    print(f"{season}: error {model.evaluate(days, warmth, verbose=0):.1f}")
