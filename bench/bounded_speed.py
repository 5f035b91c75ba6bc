"""What one call costs that needs no trace: `traceonce.function` against `tf.function`, case by case.

TensorFlow hands a graph to a thread of its own and waits: on a busy machine that alone can take a quarter of a call of
`tf.function`, whoever makes it. So each ratio stands beside the floor, and beside the ratio of the fastest batches.
"""

from __future__ import annotations

import gc
import statistics
from typing import Any

import numpy as np
import tensorflow as tf
from bounded_calls import Call, Case, all_cases
from measuring import interleave, print_ratio, ratios, timed

import traceonce


def measure_hits(quick: bool) -> dict[str, Any]:
    tf.get_logger().setLevel("ERROR")  # many small functions: it takes them for one that is traced again and again
    return {case.name: measure(case, quick) for case in all_cases()}


def measure(case: Case, quick: bool) -> dict[str, Any]:
    calls = {"tf.function": case.plain, "ours": case.ours, "again": case.plain}
    if case.floor is not None:
        calls["floor"] = case.floor
    for call in calls.values():
        timed(call, 20)
    if case.same:
        check_same(case)
    before = traces_of(case)
    timed(case.ours, 5)
    if traces_of(case) != before:
        print(f"{case.name:24} not measured: still tracing after 20 calls")
        return {"still_tracing": True}
    repeat, rounds = max(4, round(0.003 / best_seconds(case.plain))), 15 if quick else 301
    hits = traceonce.stats(case.functions[1]).hits
    gc.collect()
    gc.freeze()  # collections still run, but do not walk all of TensorFlow in the middle of a batch
    times = interleave({name: (lambda call=call: timed(call, repeat)) for name, call in calls.items()}, rounds)
    gc.unfreeze()
    assert traces_of(case) == before, f"{case.name}: a timed call was traced"
    result = {
        "ours": ratios(times, "ours", "tf.function"),
        "a_a": ratios(times, "again", "tf.function"),
        "floor": ratios(times, "floor", "tf.function") if case.floor else None,
        "target": case.target,
        "fastest": {name: round(min(times[name]) / min(times["tf.function"]), 4) for name in calls},
        "us_per_call": {name: round(statistics.median(times[name]) / repeat * 1e6, 1) for name in calls},
        "fast_share": round((traceonce.stats(case.functions[1]).hits - hits) / (rounds * repeat), 3),
    }
    show(case, result)
    return result


def traces_of(case: Case) -> list[int]:
    return [function.experimental_get_tracing_count() for function in case.functions]


def best_seconds(call: Call) -> float:
    return min(timed(call, 5) for _ in range(5)) / 5


def check_same(case: Case) -> None:
    ours, plain = (tf.nest.flatten(call()) for call in (case.ours, case.plain))
    assert all(np.array_equal(a, b) for a, b in zip(ours, plain, strict=True)), f"{case.name}: {ours} is not {plain}"


def show(case: Case, result: dict[str, Any]) -> None:
    microseconds = result["us_per_call"]
    more = [f"{microseconds['tf.function']:.0f} → {microseconds['ours']:.0f} µs"]
    if result["floor"]:
        ours, plain = (microseconds[name] - microseconds["floor"] for name in ("ours", "tf.function"))
        more.append(f"floor {result['floor']['median']:.3f}   beyond it {plain:.0f} → {ours:.0f} µs")
    more.append(f"fastest batches {result['fastest']['ours']:.3f}")
    if case.target is not None:
        more.append(f"target {case.target} {'met' if result['ours']['median'] <= case.target else 'MISSED'}")
    if result["fast_share"] < 1:
        more.append(f"only {result['fast_share']:.0%} of the calls took the fast path")
    if case.more:
        more.append(f"({case.more})")
    print_ratio(case.name, "ours / tf.function", result["ours"], result["a_a"], "   ".join(more))
