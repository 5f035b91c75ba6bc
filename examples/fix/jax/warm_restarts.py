"""Train a small Equinox network on a sine, with a rate that is annealed and restarted by hand."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

model = eqx.nn.MLP(in_size=1, out_size=1, width_size=16, depth=2, key=jax.random.key(0))
optimizer = optax.scale_by_adam()
state = optimizer.init(eqx.filter(model, eqx.is_array))
x = jnp.linspace(-3.0, 3.0, 64)[:, None]
y = jnp.sin(x)


def loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit
def train_step(model, state, x, y, rate):
    value, gradients = eqx.filter_value_and_grad(loss)(model, x, y)
    updates, state = optimizer.update(gradients, state)
    updates = jax.tree.map(lambda update: -rate * update, updates)
    return eqx.apply_updates(model, updates), state, value


for step in range(12):
    rate = 0.01 * (1 + math.cos(math.pi * (step % 6) / 6)) / 2
    model, state, value = train_step(model, state, x, y, rate)
    print(f"step {step}: rate {rate:.4f}, loss {float(value):.4f}")
