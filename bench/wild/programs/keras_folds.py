"""Cross-validation with Keras: a new model, a new `fit` and a new `predict` for each fold."""

import keras
import numpy as np

random = np.random.default_rng(0)
x = random.normal(size=(240, 6)).astype("float32")
y = x.sum(axis=1) > 0.0
parts = np.arange(240) % 6
for fold in range(6):
    model = keras.Sequential(
        [keras.layers.Input((6,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)]
    )
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    model.fit(x[parts != fold], y[parts != fold], batch_size=40, epochs=2, verbose=0)
    right = (model.predict(x[parts == fold], verbose=0)[:, 0] > 0.0) == y[parts == fold]
    print("fold", fold, round(float(right.mean()), 2))
