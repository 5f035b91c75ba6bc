"""What `traceonce.function` buys: the speed of a call, the memory that traces keep, a training program as a whole.

    python bench/bounded.py [--quick] [--only speed|memory|end]

Speed: a call that needs no trace, as a ratio to `tf.function`, with the middle half, beside `tf.function` against
itself (A/A: the noise) and the *floor*, the bare execution of the trace by TensorFlow with no dispatch at all. Batches
of calls are interleaved in one process, starting with another one each round. Memory: what 1,000 distinct shapes,
numbers, branches and strings leave behind, each in a fresh process. End to end: a training program with batches of
varying length, each run in a fresh process, against `tf.function`, `reduce_retracing=True` and a hand-written
`input_signature`. A full run takes about 40 minutes, and writes bench/results/bounded.json.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf
from bounded_memory import measure_memory
from bounded_speed import measure_hits
from bounded_training import measure_training
from measuring import save

RESULTS = Path(__file__).parent / "results" / "bounded.json"
PARTS = {"speed": measure_hits, "memory": measure_memory, "end": measure_training}


def main() -> None:
    parser = argparse.ArgumentParser(description="What traceonce.function buys.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, calls and steps; nothing is written")
    parser.add_argument("--only", choices=PARTS, help="one part; the others stay as they were written")
    options = parser.parse_args()
    results: dict[str, Any] = {"tensorflow": tf.__version__}
    if options.only is not None and RESULTS.exists():
        results = json.loads(RESULTS.read_text()) | results
    print(f"TensorFlow {tf.__version__}; ratios are medians (middle half)")
    for name, measure in PARTS.items():
        if options.only in (None, name):
            print(f"\n{name}", flush=True)
            results[name] = measure(options.quick)
    if not options.quick:
        print(f"written to {save('bounded', results)}")


if __name__ == "__main__":
    main()
