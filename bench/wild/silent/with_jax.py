"""JAX programs that are in order: whatever is said of them is a false alarm.

python bench/wild/silent/with_jax.py PROGRAM
"""

import sys
from functools import partial

import diffrax
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import jaxopt
import numpy as np
import numpyro
import optax
from numpyro.infer import MCMC, NUTS

random = np.random.default_rng(0)


def flax_training():
    model, optimizer = nn.Dense(1), optax.sgd(0.1)
    params = model.init(jax.random.key(0), jnp.zeros((1, 4)))
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, x):
        loss, gradients = jax.value_and_grad(lambda p: jnp.mean(model.apply(p, x) ** 2))(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    for _ in range(30):
        params, state, _ = step(params, state, random.normal(size=(16, 4)).astype(np.float32))


def numpyro_one_run():
    def model(x):
        centre = numpyro.sample("centre", numpyro.distributions.Normal(0.0, 1.0))
        numpyro.sample("x", numpyro.distributions.Normal(centre, 1.0), obs=x)

    sampler = MCMC(NUTS(model), num_warmup=20, num_samples=20, progress_bar=False)
    sampler.run(jax.random.key(0), jnp.ones(10))
    sampler.get_samples()


def last_batch_smaller():
    total = jax.jit(lambda x: jnp.sum(x * 2.0))
    x = random.normal(size=100).astype(np.float32)
    for _ in range(5):
        for start in range(0, 100, 16):
            total(x[start : start + 16])


def training_flag():
    @partial(jax.jit, static_argnames="training")
    def apply(x, training):
        return x * 0.5 if training else x

    for _ in range(20):
        apply(jnp.ones(8), training=True)
        apply(jnp.ones(8), training=False)


def haiku_apply():
    model = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([8, 1])(x)))
    params = model.init(jax.random.key(0), jnp.ones((1, 4)))
    apply = jax.jit(model.apply)
    for _ in range(20):
        apply(params, jnp.ones((8, 4)))


def jaxopt_one_solver():
    """One solver for many data: the objective takes them as an argument."""
    solver = jaxopt.GradientDescent(fun=lambda w, x: jnp.mean((x @ w - 1.0) ** 2), maxiter=20)
    run = jax.jit(solver.run)
    for _ in range(6):
        run(jnp.zeros(3), x=jnp.asarray(random.normal(size=(10, 3)).astype(np.float32)))


def diffrax_one_equation():
    @jax.jit
    def solve(y0, end):
        term = diffrax.ODETerm(lambda t, y, args: -y)
        return diffrax.diffeqsolve(term, diffrax.Euler(), 0.0, end, 0.1, y0).ys

    for end in (1.0, 2.0, 3.0):
        solve(jnp.ones(2), jnp.asarray(end))


def python_numbers():
    """Numbers that are not static are traced once."""
    scale = jax.jit(lambda x, by: x * by)
    for by in range(20):
        scale(jnp.ones(4), float(by))


def scan_in_jit():
    walk = jax.jit(lambda start: jax.lax.scan(lambda c, x: (c + x, c), start, jnp.arange(10.0)))
    for start in range(10):
        walk(jnp.asarray(float(start)))


def eager_operations():
    """jax.numpy outside of jit compiles small functions of its own, for each shape."""
    for size in (3, 4, 5, 6):
        x = jnp.ones((size, size))
        (x @ x).sum().block_until_ready()
        jnp.linalg.norm(x)


def gradients_and_vmap():
    loss = jax.jit(jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)))
    batched = jax.jit(jax.vmap(jnp.dot))
    for _ in range(10):
        loss(jnp.ones(3), jnp.ones((5, 3)))
        batched(jnp.ones((5, 3)), jnp.ones((5, 3)))


def buckets():
    total = jax.jit(jnp.sum)
    for turn in range(120):
        total(np.ones((8, (16, 32, 64, 128)[turn % 4]), np.float32))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
