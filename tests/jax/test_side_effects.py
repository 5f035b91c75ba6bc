"""State that a jitted body changes is changed by tracing alone."""

from __future__ import annotations

import random
import types
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


FLAG = False


def test_arrays_attributes_by_name_and_what_is_put_back(jax: Any) -> None:
    model = types.SimpleNamespace(counts=np.zeros(3, np.int64), n=0, labels=set())

    @jax.jit
    def step(x: Any) -> Any:
        global FLAG
        FLAG = True
        model.counts[1] += 1
        setattr(model, "n", model.n + 1)  # noqa: B010  # that is what is tested
        model.labels.add("seen")
        return x * 2

    with traceonce.watch() as seen:
        for _ in range(3):
            globals().update(FLAG=False)
            step(np.ones((), np.float32))
    assert FLAG is False  # True would be right
    assert sorted((cause.path, cause.was, cause.now) for cause in only(seen).causes) == [
        ("FLAG", "True", "False"),
        ("model.counts[1]", "0", "1"),
        ("model.n", "0", "1"),
    ]


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
