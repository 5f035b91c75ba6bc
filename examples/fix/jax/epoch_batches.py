"""The loss closes over the batch, and is differentiated, jitted and printed in every turn."""

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)
features = rng.normal(size=(30, 3)).astype(np.float32)
labels = (features @ np.array([1.0, -2.0, 0.5], np.float32) > 0).astype(np.float32)
weights = jnp.zeros(3)
for turn in range(6):
    chosen = rng.integers(0, 30, 12)
    batch, wanted = features[chosen], labels[chosen]

    def loss(weights):
        scores = batch @ weights
        return jnp.mean(jnp.logaddexp(0.0, scores) - wanted * scores)

    weights = weights - 0.5 * jax.jit(jax.grad(loss))(weights)
    print(turn, round(float(loss(weights)), 4))
