"""The inference loop of BlackJAX's documentation, once for each step size that is compared."""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

data = jnp.asarray(np.random.default_rng(0).normal(2.0, 1.0, size=200))


def log_density(position):
    return -0.5 * jnp.sum((data - position["mean"]) ** 2) - 0.005 * position["mean"] ** 2


def inference_loop(key, kernel, state, samples):
    @jax.jit
    def one_step(state, key):
        state, _ = kernel(key, state)
        return state, state

    _, states = jax.lax.scan(one_step, state, jax.random.split(key, samples))
    return states


for step_size in (0.01, 0.02, 0.05, 0.1):
    sampler = blackjax.nuts(log_density, step_size, inverse_mass_matrix=jnp.ones(1))
    state = sampler.init({"mean": jnp.zeros(())})
    states = inference_loop(jax.random.key(0), jax.jit(sampler.step), state, 200)
    print(step_size, round(float(states.position["mean"].mean()), 2))
