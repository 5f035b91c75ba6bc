"""A Haiku classifier that is evaluated after every epoch."""

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(1)
features = jnp.asarray(random.normal(size=(60, 6)), jnp.float32)
labels = jnp.asarray((features.sum(axis=1) > 0).astype(jnp.int32))


def forward(x):
    return hk.nets.MLP([12, 2])(x)


network = hk.without_apply_rng(hk.transform(forward))
params = network.init(jax.random.key(0), features)


def cross_entropy(params, x, y):
    logits = jax.nn.log_softmax(network.apply(params, x))
    return -jnp.mean(jnp.take_along_axis(logits, y[:, None], axis=1))


@jax.jit
def update(params, x, y):
    gradients = jax.grad(cross_entropy)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.3 * g, params, gradients)


def evaluate(params):
    loss = jax.jit(cross_entropy)
    accuracy = jax.jit(lambda p: jnp.mean(network.apply(p, features[40:]).argmax(axis=1) == labels[40:]))
    return float(loss(params, features[40:], labels[40:])), float(accuracy(params))


for epoch in range(6):
    for _ in range(3):
        params = update(params, features[:40], labels[:40])
    loss, accuracy = evaluate(params)
    print(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy:.2f}")
