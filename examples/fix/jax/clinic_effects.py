"""The effect of a treatment, estimated for each clinic on its own with NumPyro."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

random = jax.random.key(3)
CLINICS = {"north": (14, 0.4), "south": (14, 0.9), "east": (14, 0.1), "west": (14, 0.6)}


def outcome(treated, result=None):
    base = numpyro.sample("base", dist.Normal(0.0, 2.0))
    effect = numpyro.sample("effect", dist.Normal(0.0, 1.0))
    with numpyro.plate("patients", treated.shape[0]):
        numpyro.sample("result", dist.Normal(base + effect * treated, 0.5), obs=result)


def estimate(treated, result, steps=300):
    guide = AutoNormal(outcome)
    svi = SVI(outcome, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
    fitted = svi.run(jax.random.key(0), steps, treated, result, progress_bar=False)
    return fitted.params["effect_auto_loc"]


for number, (clinic, (patients, effect)) in enumerate(CLINICS.items()):
    treated = jnp.arange(patients) % 2
    noise = 0.5 * jax.random.normal(jax.random.fold_in(random, number), (patients,))
    found = estimate(treated, 1.0 + effect * treated + noise)
    print(f"{clinic}: {float(found):.2f}")
