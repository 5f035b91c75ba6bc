"""Linear regression with Keras: fit, evaluate, predict, with a last batch that is not full."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
x = np.sin(np.arange(150, dtype=np.float32)).reshape(50, 3)
y = x @ np.array([[1.0], [-2.0], [0.5]], dtype=np.float32)

model = keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.2), loss="mse")
history = model.fit(x, y, batch_size=16, epochs=3, verbose=0)
print("loss", [round(value, 3) for value in history.history["loss"]])
print("evaluated", round(model.evaluate(x, y, batch_size=16, verbose=0), 3))
print("predicted", model.predict(x[:3], verbose=0).shape)
