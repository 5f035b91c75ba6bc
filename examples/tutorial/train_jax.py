"""Fit a line to noisy points while the learning rate decays. It recompiles at every step: see the tutorial."""

import functools

import jax
import jax.numpy as jnp

points = jnp.linspace(-1.0, 1.0, 64)
values = 3.0 * points - 0.5 + 0.1 * jax.random.normal(jax.random.key(7), points.shape)


def loss(parameters, points, values):
    return jnp.mean((parameters["slope"] * points + parameters["offset"] - values) ** 2)


@functools.partial(jax.jit, static_argnames=("rate",))
def train_step(parameters, points, values, rate):
    gradients = jax.grad(loss)(parameters, points, values)
    return jax.tree.map(lambda value, gradient: value - rate * gradient, parameters, gradients)


parameters = {"slope": jnp.zeros(()), "offset": jnp.zeros(())}
for step in range(20):
    parameters = train_step(parameters, points, values, rate=0.5 / (1 + 0.1 * step))
print(f"loss {loss(parameters, points, values):.3f}")
