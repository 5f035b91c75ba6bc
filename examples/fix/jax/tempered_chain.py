"""Walk a chain of BlackJAX through ever colder versions of a density with two humps."""

import blackjax
import jax
import jax.numpy as jnp


def log_density(x):
    return jnp.logaddexp(-0.5 * (x - 3.0) ** 2, -0.5 * (x + 3.0) ** 2)


def sample_at(temperature, position, key, steps=40):
    sampler = blackjax.nuts(lambda x: log_density(x) / temperature, step_size=0.5, inverse_mass_matrix=jnp.ones(1))
    step = jax.jit(sampler.step)
    state = sampler.init(position)
    for each in jax.random.split(key, steps):
        state, _ = step(each, state)
    return state.position


position = jnp.asarray(0.0)
for turn, temperature in enumerate((8.0, 4.0, 2.0, 1.5, 1.0)):
    position = sample_at(temperature, position, jax.random.key(turn))
    print(f"temperature {temperature}: at {float(position):.3f}")
