"""Accidents that are no alarm, and what compiling has cost, in real JAX."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

import traceonce
from tests.jax.jitted import only
from traceonce.facts import Reason, Verdict


def test_a_weak_type_that_flips_is_avoidable(jax: Any) -> None:
    add = jax.jit(lambda total, x: total + x.sum())
    with traceonce.watch() as seen:
        total = 0.0
        for _ in range(8):
            total = add(total, np.ones(3, np.float32))
    assert (only(seen).traces, only(seen).calls) == (2, 8)
    assert (only(seen).verdict, only(seen).reason) == (Verdict.AVOIDABLE, Reason.TYPE_CHANGES)


def test_static_flags_multiply(jax: Any) -> None:
    @functools.partial(jax.jit, static_argnames=("a", "b", "c"))
    def blend(x: Any, a: bool, b: bool, c: bool) -> Any:
        return x * (1 + a) + b - c

    with traceonce.watch() as seen:
        for a, b, c in itertools.product([True, False], repeat=3):
            blend(np.ones(3, np.float32), a=a, b=b, c=c)
    assert (only(seen).traces, only(seen).verdict, only(seen).reason) == (8, Verdict.AVOIDABLE, Reason.FLAGS_MULTIPLY)


def test_lowering_and_compiling_are_lost_and_the_run_is_not(jax: Any) -> None:
    """JAX reports them: each program runs once, and what its run takes beyond them is not counted."""
    step = jax.jit(lambda x: jax.numpy.tanh(x).sum())
    with traceonce.watch() as seen:
        for width in (3, 4, 5):
            step(np.ones(width, np.float32))
    for event in seen.events:
        assert event.steady_run_seconds is None
        assert event.preparing_seconds is not None
        assert event.first_run_seconds is not None
        assert 0 < event.preparing_seconds <= event.first_run_seconds
        assert event.lost_in_first_run == event.preparing_seconds
