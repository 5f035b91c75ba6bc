"""Train a small recurrent classifier with JAX: is a walk going to end above or below its start?

The walks are drawn at random, in batches of about the same length. The learning rate is warmed up over the first steps,
and after each epoch the model is tried on walks that it has not seen.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

EPOCHS = 3
BATCHES = 8
BATCH = 16
WIDTH = 32
PEAK_RATE = 0.0625
WARM_UP_STEPS = 8

Parameters = dict[str, jax.Array]


def batches(count: int, seed: int) -> Iterator[tuple[jax.Array, jax.Array]]:
    """Walks of one length per batch, and whether each goes up in the end."""
    draw = random.Random(seed)
    for _ in range(count):
        length = draw.choice([20, 24, 28, 32])
        walks = [[draw.gauss(0.0, 1.0) for _ in range(length)] for _ in range(BATCH)]
        yield jnp.asarray(walks), jnp.asarray([float(sum(walk) > 0) for walk in walks])


def make_parameters(seed: int) -> Parameters:
    keys = jax.random.split(jax.random.key(seed), 3)
    return {
        "into": 0.3 * jax.random.normal(keys[0], [WIDTH]),
        "again": 0.9 * jnp.eye(WIDTH) + 0.01 * jax.random.normal(keys[1], [WIDTH, WIDTH]),
        "out": 0.3 * jax.random.normal(keys[2], [WIDTH]),
    }


def logits(parameters: Parameters, walks: jax.Array) -> jax.Array:
    def move(state: jax.Array, moves: jax.Array) -> tuple[jax.Array, None]:
        return jnp.tanh(moves[:, None] * parameters["into"] + state @ parameters["again"]), None

    state, _ = jax.lax.scan(move, jnp.zeros([walks.shape[0], WIDTH]), walks.T)
    return state @ parameters["out"]


def loss(parameters: Parameters, walks: jax.Array, up: jax.Array) -> jax.Array:
    score = logits(parameters, walks)
    return jnp.mean(jnp.maximum(score, 0) - score * up + jnp.log1p(jnp.exp(-jnp.abs(score))))


@partial(jax.jit, static_argnames=("rate",))
def train_step(parameters: Parameters, walks: jax.Array, up: jax.Array, rate: float) -> tuple[Parameters, jax.Array]:
    value, slopes = jax.value_and_grad(loss)(parameters, walks, up)
    return jax.tree.map(lambda weight, slope: weight - rate * slope, parameters, slopes), value


def evaluate(parameters: Parameters, unseen: list[Any]) -> float:
    """The share of unseen walks that are judged right."""
    judge = jax.jit(lambda walks: logits(parameters, walks) > 0)
    right = [jnp.mean(judge(walks) == (up > 0)) for walks, up in unseen]
    return float(sum(right) / len(right))


def main() -> None:
    parameters = make_parameters(seed=1)
    unseen = list(batches(4, seed=99))
    step = 0
    for epoch in range(EPOCHS):
        began, losses = time.perf_counter(), []
        for walks, up in batches(BATCHES, seed=epoch):
            step += 1
            parameters, value = train_step(parameters, walks, up, PEAK_RATE * min(1.0, step / WARM_UP_STEPS))
            losses.append(float(value))
        took = time.perf_counter() - began
        right = evaluate(parameters, unseen)
        print(
            f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f}, {right:.0%} of unseen walks right ({took:.1f} s)"
        )


if __name__ == "__main__":
    main()
