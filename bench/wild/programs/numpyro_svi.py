"""Stochastic variational inference with one `SVI` and its jitted update: the last batch is a partial one."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

random = np.random.default_rng(0)


def model(x):
    centre = numpyro.sample("centre", dist.Normal(0.0, 10.0))
    with numpyro.plate("rows", x.shape[0]):
        numpyro.sample("x", dist.Normal(centre, 1.0), obs=x)


x = (3.0 + random.normal(size=104)).astype(np.float32)
inference = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.05), Trace_ELBO())
state = inference.init(jax.random.key(0), jnp.asarray(x[:16]))
update = jax.jit(inference.update)
for epoch in range(10):
    for start in range(0, len(x), 16):
        state, loss = update(state, jnp.asarray(x[start : start + 16]))
    print("epoch", epoch, "loss", round(float(loss), 2))
