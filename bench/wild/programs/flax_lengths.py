"""A text classifier in Flax and Optax: every batch is padded to its own longest sentence."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

random = np.random.default_rng(0)


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        hidden = nn.Embed(100, 16)(tokens)
        hidden = nn.Dense(32)(nn.gelu(nn.Dense(64)(hidden)))
        return nn.Dense(2)(hidden.mean(axis=1))


model = Classifier()
optimizer = optax.adam(1e-3)
params = model.init(jax.random.key(0), jnp.zeros((1, 8), jnp.int32))
opt_state = optimizer.init(params)


@jax.jit
def train_step(params, opt_state, tokens, labels):
    def loss_of(params):
        return optax.softmax_cross_entropy_with_integer_labels(model.apply(params, tokens), labels).mean()

    loss, gradients = jax.value_and_grad(loss_of)(params)
    updates, opt_state = optimizer.update(gradients, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


lengths = [12, 17, 9, 23, 12, 9, 17, 31, 14, 12, 19, 23]
for length in lengths:
    tokens = random.integers(0, 100, size=(8, length))
    labels = random.integers(0, 2, size=8)
    params, opt_state, loss = train_step(params, opt_state, tokens, labels)
print("loss", round(float(loss), 3))
