"""A ridge regression for every penalty, each with a solver and an objective of its own."""

import jax.numpy as jnp
import jaxopt
import numpy as np

random = np.random.default_rng(0)
x = jnp.asarray(random.normal(size=(60, 5)))
y = x @ jnp.arange(5.0) + jnp.asarray(0.1 * random.normal(size=60))


def fit(penalty):
    def loss(weights):
        return jnp.mean((x @ weights - y) ** 2) + penalty * jnp.sum(weights**2)

    solver = jaxopt.LBFGS(fun=loss, maxiter=30)
    return solver.run(jnp.zeros(5)).params


for penalty in (0.001, 0.003, 0.01, 0.03):
    print(penalty, np.round(fit(penalty), 2))
