"""What keeping it fixed costs: nothing on a hit of a guarded function, little on a miss, little at pytest's start.

    python bench/guard.py [--quick]

A hit: calls of one `tf.function` under a limit of its own (`max_traces`) and one for the process (`limit`), against the
same function with no limit, at 1, 10 and 100 tensor arguments; and with no limit against itself (A/A) to show the
noise. A miss: retraces of a small MLP training step, with and without a limit. The start of pytest: a run of one empty
test with the plugin and without it (`-p no:traceonce`). All interleaved; ratios with their middle half.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf
from measuring import interleave, milliseconds, mlp_step, print_ratio, ratios, save, timed

import traceonce
from traceonce.limits.program_limits import limits

QUICK = "--quick" in sys.argv


def measure_hits(arguments: int) -> dict[str, Any]:
    """Each batch puts its limits in force, calls, and takes them out again; only the calls are timed."""
    tensors = [tf.constant(float(n)) for n in range(arguments)]
    add = tf.function(lambda *xs: xs[0] + 1.0)
    guard = traceonce.max_traces(1)
    guard(add)
    for _ in range(20):  # traced under its limit, and past the calls that are looked at after a trace
        add(*tensors)
    limits.clear()
    calls = max(20, 2000 // arguments)

    def plain() -> float:
        return timed(lambda: add(*tensors), calls)

    def guarded() -> float:
        guard(add)
        with traceonce.limit():
            seconds = timed(lambda: add(*tensors), calls)
        limits.clear()
        return seconds

    times = interleave({"plain": plain, "guarded": guarded, "again": plain}, 15 if QUICK else 61)
    return {
        "guarded": ratios(times, "guarded", "plain"),
        "a_a": ratios(times, "again", "plain"),
        "us_per_call": round(statistics.median(times["plain"]) / calls * 1e6, 1),
    }


def measure_misses() -> dict[str, Any]:
    x = tf.zeros([8, 32])
    traces = 5 if QUICK else 15

    def batch() -> float:
        step = mlp_step()
        step(x, -1)
        return timed_retraces(step, x, traces)

    def guarded() -> float:
        with traceonce.limit():
            return batch()

    times = interleave({"plain": batch, "guarded": guarded, "again": batch}, 9 if QUICK else 41)
    return {
        "guarded": ratios(times, "guarded", "plain"),
        "a_a": ratios(times, "again", "plain"),
        "plain_ms_per_trace": round(statistics.median(times["plain"]) / traces * 1e3, 2),
    }


def timed_retraces(step: Callable[[Any, int], Any], x: Any, traces: int) -> float:
    began = time.perf_counter()
    for k in range(traces):
        step(x, k)
    return time.perf_counter() - began


def measure_refusals() -> dict[str, Any]:
    """How long a refused call takes, with its causes and its message, of a function that has a thousand traces."""
    step = tf.function(lambda x, k: x)
    count = 200 if QUICK else 1000
    times = []
    with traceonce.limit(count):
        for k in range(count + 1):
            step(tf.zeros([2]), k)
        for k in range(100):
            began = time.perf_counter()
            try:
                step(tf.zeros([2]), -1 - k)
            except tf.errors.ResourceExhaustedError:
                times.append(time.perf_counter() - began)
    assert len(times) == 100
    return {"traces": count + 1, **milliseconds(times)}


def measure_pytest() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, folder]

        # Without a cache of byte code every start compiles, and pytest rewrites the asserts of, each plugin anew.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def run(*options: str) -> Callable[[], float]:
            def once() -> float:
                began = time.perf_counter()
                done = subprocess.run(
                    [*command, *options], capture_output=True, cwd=folder, env=environment, check=False
                )
                assert done.returncode == 0, done.stdout
                return time.perf_counter() - began

            return once

        batches = {"without": run("-p", "no:traceonce"), "with": run(), "again": run("-p", "no:traceonce")}
        times = interleave(batches, 7 if QUICK else 31)
    extra = [a - b for a, b in zip(times["with"], times["without"], strict=True)]
    noise = [a - b for a, b in zip(times["again"], times["without"], strict=True)]
    fastest = {name: min(values) * 1e3 for name, values in times.items()}
    return {
        "without": milliseconds(times["without"]),
        "plugin_adds": milliseconds(extra),
        "a_a": milliseconds(noise),
        "fastest_adds_ms": round(fastest["with"] - fastest["without"], 1),
        "fastest_a_a_ms": round(fastest["again"] - fastest["without"], 1),
    }


def main() -> None:
    results: dict[str, Any] = {"tensorflow": tf.__version__, "hits": {}}
    print(f"TensorFlow {tf.__version__}; ratios are medians (middle half)")
    for arguments in (1, 10, 100):
        hit = results["hits"][str(arguments)] = measure_hits(arguments)
        print_ratio(
            f"hit, {arguments} tensors",
            "guarded / plain",
            hit["guarded"],
            hit["a_a"],
            f"{hit['us_per_call']} µs a call",
        )
    miss = results["misses"] = measure_misses()
    print_ratio(
        "retrace of an MLP step",
        "guarded / plain",
        miss["guarded"],
        miss["a_a"],
        f"{miss['plain_ms_per_trace']} ms a trace",
    )
    refused = results["refusals"] = measure_refusals()
    print(f"a refused call, after {refused['traces']} traces: {refused['median_ms']} ms")
    start = results["pytest"] = measure_pytest()
    added = start["plugin_adds"]
    print(
        f"pytest with one empty test: {start['without']['median_ms']:.0f} ms; the plugin adds "
        f"{added['median_ms']} ms ({added['low_ms']} to {added['high_ms']})"
        f"; A/A {start['a_a']['median_ms']} ms; fastest runs: {start['fastest_adds_ms']} ms, "
        f"A/A {start['fastest_a_a_ms']} ms"
    )
    print(f"written to {save('guard', results)}")


if __name__ == "__main__":
    main()
