"""Bayesian optimisation by hand with GPflow: the model is made and fitted again after each new observation."""

import gpflow
import numpy as np

random = np.random.default_rng(0)


def target(x):
    return np.sin(3.0 * x) + 0.1 * x**2


x = random.uniform(-2.0, 2.0, size=(8, 1))
grid = np.linspace(-2.0, 2.0, 101)[:, None]
for step in range(6):
    model = gpflow.models.GPR((x, target(x)), kernel=gpflow.kernels.SquaredExponential(), noise_variance=0.01)
    gpflow.optimizers.Scipy().minimize(model.training_loss, model.trainable_variables, options={"maxiter": 10})
    mean, variance = model.predict_f(grid)
    best = grid[np.argmin(mean - 2.0 * np.sqrt(variance))]
    x = np.vstack([x, best[None, :]])
print("best", round(float(x[np.argmin(target(x))][0]), 2))
