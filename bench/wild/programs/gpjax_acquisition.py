"""A Gaussian process that is fitted again after each new observation, as in Bayesian optimisation."""

import gpjax as gpx
import jax
import jax.numpy as jnp
import numpy as np
import optax

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(0)
x = random.uniform(-2.0, 2.0, size=(16, 1))
y = np.sin(3.0 * x) + 0.05 * random.normal(size=x.shape)


def fit(data):
    prior = gpx.gps.Prior(mean_function=gpx.mean_functions.Zero(), kernel=gpx.kernels.RBF())
    posterior = prior * gpx.likelihoods.Gaussian()
    posterior, _ = gpx.fit(
        model=posterior,
        objective=lambda p, d: -gpx.objectives.conjugate_mll(p, d),
        train_data=data,
        optim=optax.adam(0.05),
        num_iters=50,
        key=jax.random.key(0),
        verbose=False,
    )
    return posterior


for rows in range(12, 17):
    posterior = fit(gpx.Dataset(X=jnp.asarray(x[:rows]), y=jnp.asarray(y[:rows])))
    print(rows, "rows")
