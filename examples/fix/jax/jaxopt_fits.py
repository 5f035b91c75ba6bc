"""jaxopt: a solver is made for every fit, and compiles its update each time."""

import jax.numpy as jnp
import jaxopt


def misfit(weights, inputs, targets):
    return jnp.mean((inputs @ weights - targets) ** 2)


def fit(inputs, targets):
    solver = jaxopt.GradientDescent(fun=misfit, maxiter=20)
    return solver.run(jnp.zeros(inputs.shape[1]), inputs=inputs, targets=targets).params


inputs = jnp.arange(12.0).reshape(6, 2) / 12
for station in range(5):
    print(station, fit(inputs, inputs @ jnp.array([1.0, float(station)])).round(3))
