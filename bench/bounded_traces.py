"""How often the workloads of `examples/bounded` are traced, by `tf.function` and by `traceonce.function`.

    python bench/bounded_traces.py

Each workload runs once with `tf.function`, with `tf.function(reduce_retracing=True)` and with `traceonce.function`.
Traces are counted by a side effect in the Python body, so attempts that are thrown away count, too. What each gives is
compared with a `tf.function` made anew for every call: the table says where one raises or gives something else. The
last column is the fewest traces that the rules of `traceonce.function` need for the program to keep its meaning.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "bounded"))

import bounded_suite as suite
import tensorflow as tf
from measuring import save

import traceonce

PEERS: dict[str, suite.Decorator] = {
    "tf.function": tf.function,
    "reduce_retracing": functools.partial(tf.function, reduce_retracing=True),
    "traceonce.function": traceonce.function,
}


def measure(workload: ModuleType) -> dict[str, Any]:
    """Traces of each peer, with what it raised or did wrong, if anything."""
    expected = suite.play(workload, suite.Fresh).results
    row: dict[str, Any] = {}
    for peer, function in PEERS.items():
        try:
            played = suite.play(workload, function)
        except Exception as error:  # whatever a peer raises is its entry in the table
            row[peer] = {"raises": type(error).__name__}
        else:
            wrong = suite.first_difference(expected, played.results) is not None
            row[peer] = {"traces": played.traces} | ({"wrong": True} if wrong else {})
    return {**row, "fewest": workload.FEWEST, "why": workload.WHY}


def told(entry: dict[str, Any]) -> str:
    if "raises" in entry:
        return f"{entry['raises']}"
    return f"{entry['traces']}{', wrong' if 'wrong' in entry else ''}"


def main() -> None:
    tf.get_logger().setLevel("ERROR")
    print(f"TensorFlow {tf.__version__}; traces per workload")
    print(f"{'':32}{''.join(f'{peer:>20}' for peer in PEERS)}{'fewest':>10}")
    rows = {}
    for name in suite.names():
        row = rows[name] = measure(suite.load(name))
        print(f"{name:32}{''.join(f'{told(row[peer]):>20}' for peer in PEERS)}{row['fewest']:>10}")
    met = sum(row["traceonce.function"] == {"traces": row["fewest"]} for row in rows.values())
    print(f"traceonce.function needs the fewest in {met} of {len(rows)}")
    print(f"written to {save('bounded_traces', {'tensorflow': tf.__version__, 'workloads': rows})}")


if __name__ == "__main__":
    main()
