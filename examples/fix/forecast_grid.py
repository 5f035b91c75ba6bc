"""Predict with a compiled model of GPflow, on grids as fine as they are asked for."""

import gpflow
import numpy as np
import tensorflow as tf

x = np.linspace(0.0, 3.0, 12)[:, None]
y = np.cos(2 * x)
model = gpflow.models.GPR((x, y), gpflow.kernels.Matern52(), noise_variance=0.01)
predict = tf.function(model.predict_f)

for points in (5, 8, 12, 20, 35, 60):
    mean, variance = predict(np.linspace(0.0, 3.0, points)[:, None])
    print(f"{points} points: mean {mean.numpy().mean():.4f}, variance {variance.numpy().max():.4f}")
