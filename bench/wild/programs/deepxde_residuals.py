"""A physics-informed network in DeepXDE: trained a little at a time, with the residual looked at after each part."""

import os

os.environ["DDE_BACKEND"] = "tensorflow"
import deepxde as dde
import numpy as np

dde.config.set_random_seed(0)
interval = dde.geometry.Interval(-1, 1)


def residual(x, y):
    return dde.grad.hessian(y, x) + np.pi**2 * dde.backend.tf.sin(np.pi * x)


edge = dde.icbc.DirichletBC(interval, lambda x: 0.0, lambda _, on_boundary: on_boundary)
data = dde.data.PDE(interval, residual, edge, 16, 2)
model = dde.Model(data, dde.nn.FNN([1] + [20] * 2 + [1], "tanh", "Glorot uniform"))
grid = interval.uniform_points(50)
for part in range(5):
    model.compile("adam", lr=0.01, verbose=0)
    model.train(iterations=20, display_every=20, verbose=0)
    error = model.predict(grid, operator=residual)
    print(part, round(float(np.abs(error).mean()), 2))
