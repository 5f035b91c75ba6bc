"""What a thousand distinct calls leave in memory: shapes, numbers, and values that must stay Python values."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bounded_children import answer, measure_in_child, settled_mib
from measuring import mlp_step

WAYS = ("tf.function", "traceonce", "one call repeated")  # the last: what calls keep that have no part in tracing
TARGET = 0.1


def itself(value: Any) -> Any:
    return value


def by_branch(value: Any) -> float:
    if value % 2:
        return 0.01
    return 0.02


@dataclass
class Case:
    """Call number `n` gives the step a batch of so many rows and a value; the step makes a learning rate of it."""

    what: str
    rows: Callable[[int], int]
    value: Callable[[int], Any]
    rate: Callable[[Any], Any]


CASES = {
    "shapes": Case("a dimension that varies", lambda n: n + 1, lambda n: 0.01, itself),
    "floats": Case("a Python float that can be a tensor", lambda n: 8, lambda n: n * 1e-5, itself),
    "branches": Case("a Python int that decides an `if`", lambda n: 8, itself, by_branch),
    "strings": Case("a Python string", lambda n: 8, lambda n: f"{n}e-5", float),
}


def measure_memory(quick: bool) -> dict[str, Any]:
    count = 60 if quick else 1000
    print(f"kept after {count} distinct calls of a training step of a small MLP, beyond its first trace")
    return {name: measure_case(name, count) for name in CASES}


def measure_case(name: str, count: int) -> dict[str, Any]:
    found = {way: measure_in_child(__file__, way, name, count) for way in WAYS}
    plain, ours, repeated = (found[way] for way in WAYS)
    ratio = round(ours["kept_mib"] / plain["kept_mib"], 3)
    print(
        f"{name:10} tf.function {describe(plain)}   ours {describe(ours)}   ratio {ratio:.3f}, "
        f"target {TARGET} {'met' if ratio <= TARGET else 'MISSED'}   "
        f"one call repeated {repeated['kept_mib']:.1f} MiB   {CASES[name].what}",
        flush=True,
    )
    return {"calls": count, "ratio": ratio, "target": TARGET, **found}


def describe(found: dict[str, Any]) -> str:
    return f"{found['kept_mib']:5.1f} MiB, {found['traces']:4} traces, {found['seconds']:5.1f} s"


def measure_here(way: str, name: str, count: int) -> None:
    import tensorflow as tf

    import traceonce

    tf.get_logger().setLevel("ERROR")  # it warns of the very retracing that is measured
    case = CASES[name]
    step = mlp_step(traceonce.function if way == "traceonce" else tf.function, case.rate)

    def call(n: int) -> None:
        step(tf.zeros([case.rows(n), 32]), case.value(n))

    call(0)
    before = settled_mib()
    began = time.perf_counter()
    for n in range(1, count):
        call(0 if way == "one call repeated" else n)
    seconds = time.perf_counter() - began
    kept = settled_mib() - before
    traces = traceonce.stats(step).traces if way == "traceonce" else step.experimental_get_tracing_count()
    answer(kept_mib=round(kept, 2), seconds=round(seconds, 2), traces=traces)


if __name__ == "__main__":
    measure_here(sys.argv[1], sys.argv[2], int(sys.argv[3]))
