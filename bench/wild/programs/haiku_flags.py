"""A Haiku network whose jitted `apply` has a static flag: two states, and two batch sizes at the end of each epoch."""

from functools import partial

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(0)


def network(x, is_training):
    x = jax.nn.relu(hk.Linear(32)(x))
    if is_training:
        x = hk.dropout(hk.next_rng_key(), 0.1, x)
    return hk.Linear(1)(x)


model = hk.transform(network)
params = model.init(jax.random.key(0), jnp.zeros((1, 4)), True)


@partial(jax.jit, static_argnums=3)
def loss(params, key, x, is_training):
    return jnp.mean(model.apply(params, key, x, is_training) ** 2)


x = random.normal(size=(72, 4)).astype(np.float32)
for epoch in range(10):
    for start in range(0, 72, 16):
        trained = loss(params, jax.random.key(epoch), x[start : start + 16], True)
    tested = loss(params, jax.random.key(epoch), x[:16], False)
print(round(float(trained), 3), round(float(tested), 3))
