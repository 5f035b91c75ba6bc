"""Measuring on a noisy machine: interleaved batches in rotated order, medians, and a spread."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def interleave(batches: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Run every batch once per round, starting with another one each time; a batch returns its own seconds."""
    names = list(batches)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            times[name].append(batches[name]())
    return times


def ratios(times: dict[str, list[float]], name: str, base: str) -> dict[str, float]:
    """The ratio of two batches round by round: its median, and the middle half."""
    found = sorted(a / b for a, b in zip(times[name], times[base], strict=True))
    low, _, high = statistics.quantiles(found, n=4)
    return {"median": round(statistics.median(found), 4), "low": round(low, 4), "high": round(high, 4)}


def timed(work: Callable[[], Any], repeat: int) -> float:
    began = time.perf_counter()
    for _ in range(repeat):
        work()
    return time.perf_counter() - began


def milliseconds(values: Sequence[float]) -> dict[str, float]:
    low, _, high = statistics.quantiles(values, n=4)
    return {
        "median_ms": round(statistics.median(values) * 1e3, 3),
        "low_ms": round(low * 1e3, 3),
        "high_ms": round(high * 1e3, 3),
    }


def print_ratio(name: str, of: str, ratio: dict[str, float], noise: dict[str, float], more: str) -> None:
    print(
        f"{name:24} {of} {ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"
        f"   A/A {noise['median']:.3f} ({noise['low']:.3f} to {noise['high']:.3f})   {more}"
    )


def mlp_step(function: Any = None, rate: Callable[[Any], Any] = lambda value: 0.01) -> Callable[[Any, Any], Any]:
    """A training step of a small MLP, compiled by `function` (`tf.function`); `rate` makes a learning rate of a value.

    With `tf.function`, each new Python value is a new trace.
    """
    import tensorflow as tf

    weights = [tf.Variable(tf.random.normal([32, 32], seed=n)) for n in range(3)]

    @(function or tf.function)
    def step(x: Any, value: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = x
            for weight in weights:
                hidden = tf.nn.relu(hidden @ weight)
            loss = tf.reduce_mean(hidden)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(rate(value) * gradient)
        return loss

    return step


def save(name: str, results: dict[str, Any]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    machine = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    path.write_text(json.dumps({"machine": machine, **results}, indent=1) + "\n")
    return path
