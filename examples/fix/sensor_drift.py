"""Fit a Gaussian process of GPflow again whenever a sensor has sent another reading."""

import gpflow
import numpy as np

random = np.random.default_rng(0)
times = np.linspace(0.0, 4.0, 30)[:, None]
readings = np.sin(times) + 0.1 * random.normal(size=times.shape)
optimizer = gpflow.optimizers.Scipy()

for count in (10, 14, 18, 22, 26):
    model = gpflow.models.GPR((times[:count], readings[:count]), gpflow.kernels.SquaredExponential())
    optimizer.minimize(model.training_loss, model.trainable_variables, options={"maxiter": 15})
    print(f"{count} readings: length scale {model.kernel.lengthscales.numpy():.2f}")
