"""A regression that is fitted again as its data grow: a new NUTS and MCMC for each fit, as NumPyro's tutorials do."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

random = np.random.default_rng(0)


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))
    intercept = numpyro.sample("intercept", dist.Normal(0.0, 10.0))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(slope * x + intercept, noise), obs=y)


def fit(x, y, seed):
    sampler = MCMC(NUTS(regression), num_warmup=50, num_samples=50, progress_bar=False)
    sampler.run(jax.random.key(seed), x, y)
    return sampler.get_samples()


x = random.normal(size=40).astype(np.float32)
y = (2.0 * x + 1.0 + 0.1 * random.normal(size=40)).astype(np.float32)
for rows in range(37, 41):
    samples = fit(x[:rows], y[:rows], rows)
    print(rows, "rows, slope", round(float(samples["slope"].mean()), 2))
