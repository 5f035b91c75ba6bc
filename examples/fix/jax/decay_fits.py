"""Fits a decay to each patient's samples: the gradient is jitted for a partial of every data set."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def misfit(parameters, times, doses):
    amplitude, rate = parameters
    return jnp.mean((amplitude * jnp.exp(-rate * times) - doses) ** 2)


def fit(times, doses):
    parameters = jnp.array([1.0, 0.1])
    step = jax.jit(jax.value_and_grad(partial(misfit, times=times, doses=doses)))
    for _ in range(4):
        loss, slope = step(parameters)
        parameters = parameters - 0.05 * slope
    return parameters, loss


times = np.linspace(0.0, 4.0, 20).astype(np.float32)
for patient in range(5):
    doses = (2.0 + patient) * np.exp(-0.3 * times)
    parameters, loss = fit(times, doses.astype(np.float32))
    print(f"patient {patient}: {parameters[0]:.3f} {parameters[1]:.3f}, loss {loss:.3f}")
