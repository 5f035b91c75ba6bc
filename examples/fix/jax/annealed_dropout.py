"""A Flax model whose dropout is turned down as it learns."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Regressor(nn.Module):
    dropout: float

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.Dropout(self.dropout, deterministic=False)(x)
        return nn.Dense(1)(x)


x = jnp.linspace(-1.0, 1.0, 48)[:, None]
y = x**3
optimizer = optax.adam(1e-2)
params = Regressor(0.5).init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, x)
state = optimizer.init(params)

for epoch in range(6):
    model = Regressor(dropout=0.5 * (1 - epoch / 6))

    @jax.jit
    def step(params, state, key):
        def loss(params):
            return jnp.mean((model.apply(params, x, rngs={"dropout": key}) - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, value

    for number in range(3):
        params, state, value = step(params, state, jax.random.key(10 * epoch + number))
    print(f"epoch {epoch}: dropout {model.dropout:.2f}, loss {float(value):.4f}")
