"""State that a jitted body changes is changed by tracing alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import traceonce
from tests.jax.jitted import only
from traceonce.facts import Verdict


class Model:
    def __init__(self, jax: Any) -> None:
        self.scale = 1.0
        self.cache: dict[Any, Any] = {}
        self.step = jax.jit(self._step)

    def _step(self, x: Any) -> Any:
        self.scale = self.scale * 2
        self.cache[x.shape] = 1
        return x * self.scale


def test_an_attribute(jax: Any) -> None:
    model = Model(jax)
    with traceonce.watch() as seen:
        assert [float(model.step(np.ones((), np.float32))) for _ in range(3)] == [2.0, 2.0, 2.0]  # 2, 4, 8 is right
    (cause,) = only(seen).causes
    assert (cause.code.value, cause.path, cause.was, cause.now) == ("side_effect", "self.scale", "1.0", "2.0")
    assert only(seen).verdict is Verdict.STALE


def test_one_call_harms_nobody(jax: Any) -> None:
    model = Model(jax)
    with traceonce.watch() as seen:
        model.step(np.ones((), np.float32))
    assert only(seen).verdict is Verdict.OK


def test_random_numbers_and_items_that_only_tracing_draws(jax: Any) -> None:
    rng, items = np.random.default_rng(0), iter(range(5))

    def noisy(x: Any) -> Any:
        return x + rng.normal() + random.random() + next(items)

    jitted = jax.jit(noisy)
    with traceonce.watch() as seen:
        assert len({float(jitted(np.ones((), np.float32))) for _ in range(3)}) == 1
    assert sorted((cause.path, cause.was, cause.now) for cause in only(seen).causes) == [
        ("items", "5 items left", "4 items left"),
        ("random", "", ""),
        ("rng", "", ""),
    ]
