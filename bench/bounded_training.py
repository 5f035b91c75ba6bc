"""A whole training program whose batches vary in length, in four ways: its time, its peak memory, its final loss."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from bounded_children import answer, measure_in_child, peak_mib, settled_mib
from measuring import interleave, ratios

PLAIN, REDUCED, OURS = "tf.function", "reduce_retracing=True", "traceonce.function"
SIGNATURE, AGAIN = "input_signature", "input_signature again"  # the second: the noise (A/A)
WAYS = (PLAIN, REDUCED, OURS, SIGNATURE, AGAIN)
TARGETS = {PLAIN: 1.0, REDUCED: 1.0, SIGNATURE: 1.05}
PROGRAMS = {"fixed": "a fixed learning rate", "decaying": "a Python float as learning rate, smaller at each step"}
SLOW = {"fixed": (PLAIN,), "decaying": (PLAIN, REDUCED)}  # those that trace again and again: a few runs tell enough
BATCH, WIDTH, WORDS = 32, 64, 2000
SHORTEST, LONGEST = 16, 128
TOLERANCE = 1e-3  # of the final loss, relative: other graphs round in another order, over hundreds of steps


def measure_training(quick: bool) -> dict[str, Any]:
    steps, rounds, more = (60, 2, 1) if quick else (500, 1, 4)
    print(f"a training program: {steps} steps, {SHORTEST} to {LONGEST} words a line, each run in a process of its own")
    return {name: measure_program(name, steps, rounds, more) for name in PROGRAMS}


def measure_program(name: str, steps: int, rounds: int, more: int) -> dict[str, Any]:
    """All ways in `rounds` rounds; then `more` of those whose difference is small."""
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}

    def run(way: str) -> Callable[[], float]:
        def once() -> float:
            runs[way].append(measure_in_child(__file__, way, name, steps))
            seconds: float = runs[way][-1]["seconds"]
            return seconds

        return once

    interleave({way: run(way) for way in WAYS}, rounds)
    interleave({way: run(way) for way in WAYS if way not in SLOW[name]}, more)
    losses = [found[0]["loss"] for found in runs.values()]
    result = {
        "steps": steps,
        "ours_to": {way: compare(runs, OURS, way) for way in TARGETS},
        "a_a": compare(runs, AGAIN, SIGNATURE),
        "ways": {way: summary(found) for way, found in runs.items()},
        "losses_agree": all(math.isclose(loss, losses[0], rel_tol=TOLERANCE) for loss in losses),
    }
    show(name, result)
    return result


def compare(runs: dict[str, list[dict[str, Any]]], way: str, other: str) -> dict[str, Any]:
    """Ratios round by round, of the time on the clock and of the processor's, which a busy machine changes less."""
    rounds = list(zip(runs[way], runs[other], strict=False))  # where one ran more often, the first of its rounds
    rounds *= 2 if len(rounds) == 1 else 1  # of one run there is no spread
    return {
        key: ratios({way: [one[key] for one, _ in rounds], other: [two[key] for _, two in rounds]}, way, other)
        for key in ("seconds", "cpu_seconds")
    }


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Of all runs of one way: the median of each figure, and the shortest time."""
    middle = {key: round(sorted(run[key] for run in found)[len(found) // 2], 6) for key in found[0]}
    return {"runs": len(found), **middle, "fastest": round(min(run["seconds"] for run in found), 3)}


def show(name: str, result: dict[str, Any]) -> None:
    print(f"{PROGRAMS[name]}:")
    for way, found in result["ways"].items():
        print(
            f"  {way:22} {found['seconds']:6.2f} s (fastest {found['fastest']:.2f}; first 10 steps "
            f"{found['first_ten']:.2f}; then {found['step_ms']:.1f} ms a step), {found['traces']:4} traces, "
            f"peak {found['peak_mib']:4.0f} MiB ({found['grown_mib']:+.0f}), loss {found['loss']:.6f}, "
            f"{found['runs']} runs"
        )
    for way, target in TARGETS.items():
        verdict = "met" if result["ours_to"][way]["seconds"]["median"] <= target else "MISSED"
        print(f"  ours / {way:22} {described(result['ours_to'][way])}   target {target} {verdict}")
    print(f"  {'A/A (input_signature)':29} {described(result['a_a'])}")
    print(f"  the final losses {'agree' if result['losses_agree'] else 'DIFFER'}", flush=True)


def described(ratio: dict[str, Any]) -> str:
    wall, processor = (
        f"{found['median']:.3f} ({found['low']:.3f} to {found['high']:.3f})"
        for found in (ratio["seconds"], ratio["cpu_seconds"])
    )
    return f"{wall}; in processor time {processor}"


def decorator(way: str) -> Callable[[Any], Any]:
    import tensorflow as tf

    if way == OURS:
        import traceonce

        return traceonce.function
    if way in (SIGNATURE, AGAIN):
        lengths_vary, labels = tf.TensorSpec([BATCH, None], tf.int32), tf.TensorSpec([BATCH], tf.int32)
        return tf.function(input_signature=[lengths_vary, labels, tf.TensorSpec([], tf.float32)])
    return tf.function(reduce_retracing=way == REDUCED)


class Classifier:
    """Embedding, self-attention, two dense layers; trained by Adam."""

    def __init__(self) -> None:
        import tensorflow as tf

        def weights(*shape: int) -> Any:
            made = tf.random.stateless_normal(shape, seed=(len(self.weights), 7), stddev=shape[0] ** -0.5)
            self.weights.append(tf.Variable(made))
            return self.weights[-1]

        self.weights: list[Any] = []
        self.embedding = weights(WORDS, WIDTH)
        self.query, self.key, self.value = (weights(WIDTH, WIDTH) for _ in range(3))
        self.hidden, self.output = weights(WIDTH, 2 * WIDTH), weights(2 * WIDTH, 2)
        self.moments = [[tf.Variable(tf.zeros_like(weight)) for _ in range(2)] for weight in self.weights]
        self.count = tf.Variable(0.0)

    def loss(self, tokens: Any, labels: Any) -> Any:
        import tensorflow as tf

        x = tf.gather(self.embedding, tokens)
        scores = tf.matmul(x @ self.query, x @ self.key, transpose_b=True) * WIDTH**-0.5
        x = tf.reduce_mean(tf.nn.softmax(scores) @ (x @ self.value), axis=1)
        logits = tf.nn.relu(x @ self.hidden) @ self.output
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def step(self, tokens: Any, labels: Any, rate: Any) -> Any:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            loss = self.loss(tokens, labels)
        self.count.assign_add(1.0)
        rate = rate * tf.sqrt(1.0 - 0.999**self.count) / (1.0 - 0.9**self.count)
        for weight, gradient, (mean, square) in zip(
            self.weights, tape.gradient(loss, self.weights), self.moments, strict=True
        ):
            gradient = tf.convert_to_tensor(gradient)
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(0.999 * square + 0.001 * gradient**2)
            weight.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))
        return loss


def batches(steps: int) -> list[tuple[Any, Any]]:
    """Words at random; the label says whether more of them come from the first half of the dictionary."""
    import numpy as np
    import tensorflow as tf

    random = np.random.default_rng(6)
    made = []
    for length in random.integers(SHORTEST, LONGEST + 1, steps):
        tokens = random.integers(0, WORDS, (BATCH, length), dtype=np.int32)
        labels = (np.mean(tokens < WORDS // 2, axis=1) > 0.5).astype(np.int32)
        made.append((tf.constant(tokens), tf.constant(labels)))
    return made


def train_here(way: str, name: str, steps: int) -> None:
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")  # it warns of the very retracing that is measured
    data = batches(steps)
    model = Classifier()
    before = settled_mib()
    began, began_working = time.perf_counter(), time.process_time()
    step = decorator(way)(model.step)
    rate, times = 0.001, []
    for tokens, labels in data:
        began_step = time.perf_counter()
        step(tokens, labels, tf.constant(rate) if way in (SIGNATURE, AGAIN) else rate).numpy()
        times.append(time.perf_counter() - began_step)
        if name == "decaying":
            rate *= 0.997
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - began_working
    peak = peak_mib()
    loss = sum(float(model.loss(tokens, labels)) for tokens, labels in data[-50:]) / 50
    traces = step.experimental_get_tracing_count()
    answer(
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        first_ten=sum(times[:10]),
        step_ms=sorted(times)[len(times) // 2] * 1e3,
        peak_mib=peak,
        grown_mib=peak - before,
        loss=loss,
        traces=traces,
    )


if __name__ == "__main__":
    train_here(sys.argv[1], sys.argv[2], int(sys.argv[3]))
