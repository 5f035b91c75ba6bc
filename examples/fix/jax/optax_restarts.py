"""optax: the optimiser and the step are made anew for every restart of a fit."""

import jax
import jax.numpy as jnp
import optax


def loss(weights, inputs, targets):
    return jnp.mean((inputs @ weights - targets) ** 2)


def train(inputs, targets, seed):
    optimiser = optax.adam(0.1)

    @jax.jit
    def step(weights, state):
        slope = jax.grad(loss)(weights, inputs, targets)
        updates, state = optimiser.update(slope, state, weights)
        return optax.apply_updates(weights, updates), state

    weights = jax.random.normal(jax.random.PRNGKey(seed), (3,))
    state = optimiser.init(weights)
    for _ in range(5):
        weights, state = step(weights, state)
    return weights


inputs = jnp.sin(jnp.arange(30.0)).reshape(10, 3)
for seed in range(10):
    targets = inputs @ jnp.array([1.0, 2.0, 3.0]) + seed
    print(seed, train(inputs, targets, seed).round(3))
