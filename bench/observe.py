"""What watching costs: nothing on a hit, little on a miss, little at start-up.

    python bench/observe.py [--quick]

A hit: a watched and an unwatched call of one `tf.function`, at 1, 10 and 100 tensor arguments, with an unwatched call
against itself (A/A) to show the noise. A miss: retraces of a small MLP training step, watched and not; and the time to
explain a trace of a function that has a thousand. All interleaved in one run; ratios with their middle half.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf
from measuring import interleave, milliseconds, mlp_step, print_ratio, ratios, save, timed

import traceonce
from traceonce.diagnosis.history import History

QUICK = "--quick" in sys.argv


def measure_hits(arguments: int) -> dict[str, Any]:
    tensors = [tf.constant(float(n)) for n in range(arguments)]
    add = tf.function(lambda *xs: xs[0] + 1.0)
    with traceonce.watch():
        for _ in range(20):  # traced while watched, and past the calls that are looked at after a trace
            add(*tensors)
    calls = max(20, 2000 // arguments)

    def plain() -> float:
        return timed(lambda: add(*tensors), calls)

    def watched() -> float:
        with traceonce.watch():
            return timed(lambda: add(*tensors), calls)

    times = interleave({"plain": plain, "watched": watched, "again": plain}, 15 if QUICK else 61)
    return {
        "watched": ratios(times, "watched", "plain"),
        "a_a": ratios(times, "again", "plain"),
        "us_per_call": round(statistics.median(times["plain"]) / calls * 1e6, 1),
    }


def measure_misses() -> dict[str, Any]:
    """Retraces of the step: watched against not, each batch on a function of its own."""
    x = tf.zeros([8, 32])
    traces = 5 if QUICK else 15
    explaining: list[float] = []

    def batch(step: Any) -> float:
        step(x, -1)
        began = time.perf_counter()
        for k in range(traces):
            step(x, k)
        return time.perf_counter() - began

    def plain() -> float:
        return batch(mlp_step())

    def watched() -> float:
        with traceonce.watch() as seen:
            seconds = batch(mlp_step())
        began = time.perf_counter()
        history = History()
        for event in seen.events:
            history.explain(event)
        explaining.append((time.perf_counter() - began) / len(seen.events) * traces)
        return seconds + explaining[-1]

    times = interleave({"plain": plain, "watched": watched, "again": plain}, 9 if QUICK else 41)
    return {
        "watched_and_explained": ratios(times, "watched", "plain"),
        "a_a": ratios(times, "again", "plain"),
        "plain_ms_per_trace": round(statistics.median(times["plain"]) / traces * 1e3, 2),
    }


def measure_thousand_traces() -> dict[str, Any]:
    """Explaining one more trace of a function that has a thousand, with a new value and a known shape."""
    step = tf.function(lambda x, y, k: x)
    count = 200 if QUICK else 1100
    with traceonce.watch() as seen:
        for k in range(count):
            step(tf.zeros([k % 7 + 1]), tf.zeros([k % 5 + 1, 3]), k)
    history = History()
    times = []
    for event in seen.events:
        began = time.perf_counter()
        history.explain(event)
        times.append(time.perf_counter() - began)
    return {"traces": count, **milliseconds(times[-100:]), "max_ms": round(max(times[-100:]) * 1e3, 3)}


def measure_start() -> dict[str, Any]:
    """Seconds of a fresh process, less those of an empty one."""
    commands = {
        "empty": [sys.executable, "-c", "pass"],
        "import traceonce": [sys.executable, "-c", "import traceonce"],
        "traceonce --help": [sys.executable, "-m", "traceonce", "--help"],
    }

    def run(command: list[str]) -> Callable[[], float]:
        def once() -> float:
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            return time.perf_counter() - began

        return once

    times = interleave({name: run(command) for name, command in commands.items()}, 7 if QUICK else 25)
    empty = statistics.median(times["empty"])
    return {
        name: {**milliseconds(values), "beyond_python_ms": round((statistics.median(values) - empty) * 1e3, 1)}
        for name, values in times.items()
    }


def main() -> None:
    results: dict[str, Any] = {"tensorflow": tf.__version__, "hits": {}}
    print(f"TensorFlow {tf.__version__}; ratios are medians (middle half)")
    for arguments in (1, 10, 100):
        hit = results["hits"][str(arguments)] = measure_hits(arguments)
        print_ratio(
            f"hit, {arguments} tensors",
            "watched / plain",
            hit["watched"],
            hit["a_a"],
            f"{hit['us_per_call']} µs a call",
        )
    miss = results["misses"] = measure_misses()
    print_ratio(
        "retrace of an MLP step",
        "watched / plain",
        miss["watched_and_explained"],
        miss["a_a"],
        f"{miss['plain_ms_per_trace']} ms a trace",
    )
    many = results["thousand_traces"] = measure_thousand_traces()
    print(f"explaining trace {many['traces']}: {many['median_ms']} ms (largest of the last 100: {many['max_ms']} ms)")
    results["start"] = measure_start()
    for name, value in results["start"].items():
        print(f"{name}: {value['median_ms']} ms, {value['beyond_python_ms']} ms beyond an empty python")
    print(f"written to {save('observe', results)}")


if __name__ == "__main__":
    main()
