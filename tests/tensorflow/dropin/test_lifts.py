"""Rule 4: a Python number that varies becomes a tensor, where that keeps its meaning; and the traps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.noted import noted
from tests.tensorflow.dropin.paired import Maker, alike, outcome, plain, thrice


def test_rule_4_a_number_that_varies_becomes_a_tensor(tf: Any) -> None:
    """Three traces, whatever comes: for the old value, for the new one, and the lifted one, compared with both."""
    for values in ((1, 2, 3, 4, 5, -6), (0.5, 0.25, 0.125, 3.0, -1.0)):
        step, seen = noted(tf, traceonce.function, lambda x, k: x * k)
        x = tf.constant(3, tf.int32 if isinstance(values[0], int) else tf.float32)
        answers = [step(x, k).numpy().item() for k in values for _ in range(3)]
        assert answers == [3 * k for k in values for _ in range(3)]
        assert len(seen) == 4
        assert traceonce.stats(step).lifted == 1


def test_rule_4_bools_and_strings_stay(tf: Any) -> None:
    """As in tf.function: one trace for each."""

    def program(function: Maker) -> Any:
        step, seen = noted(tf, function, lambda x, flag, mode: x + 1.0 if flag and mode == "a" else x)
        calls = [(flag, mode) for flag in (True, False) for mode in ("a", "b", "c")]
        return [[plain(step(tf.constant(1.0), *call)) for call in calls] for _ in range(3)], len(seen)

    assert alike(tf, program)[1] == 6


def test_rule_4_can_be_switched_off(tf: Any) -> None:
    """Then numbers are as in tf.function."""
    step, seen = noted(tf, traceonce.function, lambda x, k: x * k, lift=False)
    for k in (1.0, 2.0, 3.0, 1.0, 2.0, 3.0):
        step(tf.constant(1.0), k)
    assert len(seen) == 3


def test_rule_4_a_function_with_state(tf: Any) -> None:
    """It must not be run to be compared: each call changes the variable once."""

    def program(function: Maker) -> Any:
        total = tf.Variable(0.0)
        step = function(lambda x, k: total.assign_add(x * k))
        answers = [plain(step(tf.constant(1.0), float(k))) for k in range(1, 8)]
        return answers, total

    alike(tf, program)
    total = tf.Variable(0.0)
    step, seen = noted(tf, traceonce.function, lambda x, k: total.assign_add(x * k))
    for k in range(1, 8):
        step(tf.constant(1.0), float(k))
    assert len(seen) == 4
    assert traceonce.stats(step).lifted == 1


def test_side_effects_of_comparing_are_not_seen(tf: Any, tmp_path: Path) -> None:
    """Rules 3 and 4 may run a graph to compare it. Host, queue, iterator, file and state see each call once."""

    def program(function: Maker) -> Any:
        printed = tmp_path / str(function is tf.function)
        host: list[float] = []
        generator = tf.random.Generator.from_seed(3)
        queue = tf.queue.FIFOQueue(50, [tf.float32], [[]])
        iterator = iter(tf.data.Dataset.range(50))
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, default_value=0.0)
        total = tf.Variable(0.0)

        def through_the_host(x: Any, k: float) -> Any:
            return tf.numpy_function(lambda value: (host.append(float(value[0])), value)[1], [x * k], tf.float32)

        def through_a_queue(x: Any, k: float) -> Any:
            queue.enqueue(tf.reduce_sum(x) * k)
            return x * k

        def from_an_iterator(x: Any, k: float) -> Any:
            return tf.cast(next(iterator), tf.float32) + x * k

        def into_a_file(x: Any, k: float) -> Any:
            tf.print(tf.reduce_sum(x) * k, output_stream=f"file://{printed}")
            return x * k

        def into_a_table(x: Any, k: float) -> Any:
            key = tf.constant(["calls"])
            table.insert(key, table.lookup(key) + 1.0)
            return x * k

        def at_random(x: Any, k: float) -> Any:
            return generator.uniform([]) * x * k

        def into_a_variable(x: Any, k: float) -> Any:
            total.assign_add(tf.reduce_sum(x) * k)
            return x * k + total

        bodies = [through_the_host, through_a_queue, from_an_iterator, into_a_file, into_a_table, at_random]
        answers = []
        for body in [*bodies, into_a_variable]:
            step = function(body)
            calls = [(1, float(k)) for k in (1, 2, 3, 4, 1)] + [(size, 2.0) for size in (1, 2, 3, 4, 1)]
            answers += [outcome(step, tf.ones([size]), k) for size, k in calls]
        queued = queue.dequeue_many(queue.size())
        return answers, host, queued, next(iterator), printed.read_text(), table.export()[1], generator.state, total

    alike(tf, program)


# Each of these looks like a number that can be a tensor, and most are not; the answers must be those of tf.function.
TRAPS: dict[str, tuple[Callable[[Any, Any, Any], Any], tuple[Any, ...]]] = {
    "isinstance": (lambda tf, x, k: x + (10 if isinstance(k, int) else 0) + k, (1, 2, 3, 4)),
    "type": (lambda tf, x, k: x * (2 if type(k) is int else 3), (1, 2, 3, 4)),
    "whole numbers wrap in a tensor": (lambda tf, x, k: x + (k * 1103515245) % 97, (1, 2, 3, 7, 100)),
    "a power": (lambda tf, x, k: x + (k**20) % 1000, (1, 2, 3, 5, 9)),
    "a shift": (lambda tf, x, k: x + ((1 << k) % 1000), (1, 2, 30, 31, 40)),
    "larger than 32 bits": (lambda tf, x, k: tf.cast(x, tf.int64) + k, (1, 2, 3, 2**31, 2**40, -(2**40), 4)),
    "larger than 64 bits": (lambda tf, x, k: x + k % 7, (1, 2, 3, 2**70, 4)),
    "floor division": (lambda tf, x, k: x + k // 2 + (-k) // 2 + (-k) % 3, (1, 2, 3, -5, 7)),
    "true division": (lambda tf, x, k: tf.cast(x, tf.float64) + k / 3, (1, 2, 3, 4)),
    "weak typing": (lambda tf, x, k: tf.cast(x, tf.float32) * k, (1, 2, 3, 4)),
    "both types": (lambda tf, x, k: tf.cast(x, tf.float32) * k + tf.reduce_sum(tf.ones([k])), (1, 2, 3, 4)),
    "a shape": (lambda tf, x, k: tf.ones([k]) * 2.0, (1, 2, 3, 4)),
    "a list": (lambda tf, x, k: [x] * k, (1, 2, 3, 4)),
    "an index of a list": (lambda tf, x, k: [x, x + 1, x + 2, x + 3, x + 4][k], (1, 2, 3, 4)),
    "a key": (lambda tf, x, k: x + {1: 10, 2: 20}.get(k, 30), (1, 2, 3, 4)),
    "a text": (lambda tf, x, k: tf.constant(f"{k}"), (1, 2, 3, 4)),
    "a branch": (lambda tf, x, k: x + 1 if k > 2 else x - 1, (1, 2, 3, 4, 1)),
    "a branch far away": (lambda tf, x, k: x + 1 if k > 50 else x - 1, (1, 2, 3, 99, 1)),
    "membership": (lambda tf, x, k: x + (1 if k in (1, 4) else 0), (1, 2, 3, 4)),
    "truth": (lambda tf, x, k: x + 1 if k else x, (1, 2, 3, 0, 4)),
    "a range": (lambda tf, x, k: x + sum(range(k)), (1, 2, 3, 6)),
    "min and max": (lambda tf, x, k: x + max(k, 3) - min(k, 2), (1, 2, 3, 9)),
    "rounding": (lambda tf, x, k: x + round(k / 3), (1, 2, 3, 4, 5)),
    "bits": (lambda tf, x, k: x + (k & 3) + (k | 8) + (k ^ 5) + ~k, (1, 2, 3, 9)),
    "NumPy": (lambda tf, x, k: x + int(np.sqrt(k)), (1, 2, 3, 9)),
    "an unused number": (lambda tf, x, k: x + 1, (1, 2, 3, 9)),
    "a literal that is returned": (lambda tf, x, k: (x, k), (1, 2, 3, 9)),
    "an axis": (lambda tf, x, k: tf.reduce_sum(tf.ones([2, 3, 4]), axis=k), (0, 1, 2, -1)),
    "a slice": (lambda tf, x, k: tf.range(10)[:k], (1, 2, 3, 9)),
    "one-hot": (lambda tf, x, k: tf.one_hot([0, 1], k), (1, 2, 3, 9)),
    "a split": (lambda tf, x, k: tf.split(tf.ones([12]), k), (1, 2, 3, 4)),
    "a float that folds": (lambda tf, x, k: tf.cast(x, tf.float32) * (k * 0.5), (0.5, 0.25, 2.0, 8.0)),
    "a float beyond float32": (lambda tf, x, k: tf.cast(x, tf.float64) * k, (0.1, 0.2, 0.3, 1e300)),
    "a float that is infinite": (lambda tf, x, k: tf.cast(x, tf.float32) * k, (1.0, 2.0, np.inf, -np.inf, np.nan)),
    "a float too large for float32": (lambda tf, x, k: tf.cast(x, tf.float32) + (k - k), (1.0, 2.0, 3.0, 1e39)),
    "a float compared": (lambda tf, x, k: x + (1 if k == 0.1 else 0), (0.1, 0.2, 0.3, 0.1)),
    "a float that is whole": (lambda tf, x, k: x + (1 if float(k).is_integer() else 0), (0.5, 1.0, 2.0, 0.25)),
    "an int for a half": (lambda tf, x, k: tf.cast(x, tf.float16) * k, (1, 2, 3, 4096)),
    "an int for a byte": (lambda tf, x, k: tf.cast(x, tf.uint8) + k, (1, 2, 3, 200, 300, -1)),
    "a negative one for unsigned": (lambda tf, x, k: tf.cast(x, tf.uint32) + k, (1, 2, 3, -1)),
    "an int for a bool": (lambda tf, x, k: tf.cast(k, tf.bool), (1, 2, 0, 3)),
    "an int beside 2**24": (lambda tf, x, k: tf.cast(x, tf.float32) * 0.0 + k, (1, 2, 3, 2**24 + 1)),
    "state": (lambda tf, x, k: tf.Variable(1) if k > 9 else x * k, (1, 2, 3, 4)),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_rule_4_traps(tf: Any, trap: str) -> None:
    """Whether it is lifted or not, the answers are those of tf.function, also for numbers far from the first ones."""
    body, values = TRAPS[trap]

    def program(function: Maker) -> Any:
        step = function(lambda x, k: body(tf, x, k), autograph=False)
        return [thrice(step, tf.constant(7), k) for k in values]

    alike(tf, program)


def test_rule_4_traps_with_autograph(tf: Any) -> None:
    """It turns Python's control flow on a tensor into a graph's, so that more can be lifted, or seems so."""

    def branch(x: Any, k: Any) -> Any:
        if k > 50:
            return x + 1
        return x - 1

    def early(x: Any, k: Any) -> Any:
        if k == 99:
            raise ValueError("99 is not allowed")
        return x + k

    def loop(x: Any, k: Any) -> Any:
        for i in range(k):
            x = x + i
        return x

    def truth(x: Any, k: Any) -> Any:
        return x + 1 if k and k != 2 else x

    def conversions(x: Any, k: Any) -> Any:
        return x + int(k) + max(k, 3) - min(k, 2) + abs(-k) + len(range(k))

    def bound(x: Any, k: Any) -> Any:
        assert k < 50, "too many"
        while k > 2:
            k = k - 1
            x = x * 2
        return x

    def unbound(x: Any, k: Any) -> Any:
        if k > 2:
            y = x
        return y + 1

    def program(function: Maker) -> Any:
        steps = [function(body) for body in (branch, early, loop, truth, conversions, bound, unbound)]
        return [[thrice(step, tf.constant(7), k) for k in (1, 2, 3, 99, 0, 4)] for step in steps]

    alike(tf, program)


@pytest.mark.parametrize("trap", ["isinstance", "type", "a list", "an index of a list", "a key", "NumPy", "a split"])
def test_rule_4_what_stays_static_stays_so_for_good(tf: Any, trap: str) -> None:
    """It is tried once and not again; `why` names the argument."""
    body, _ = TRAPS[trap]
    step = traceonce.function(lambda x, k: body(tf, x, k), autograph=False)
    for k in (1, 2, 3):
        step(tf.constant(7), k)
    before = traceonce.stats(step)
    step(tf.constant(7), 4)
    after = traceonce.stats(step)
    assert (after.traces, after.trials) == (before.traces + 1, before.trials)
    assert (after.lifted, after.static) == (0, 1)
    assert [sentence for sentence in after.why if sentence.startswith("k: ")]


def test_rule_4_a_learning_rate_that_folds(tf: Any) -> None:
    """`lr * 0.1` is computed by Python in double precision; what a lifted trace gives is as near as float32 is."""
    step, reference = (make(lambda x, lr: x * (lr * 0.1)) for make in (traceonce.function, tf.function))
    x = tf.constant([1.0, 3.0, 1e-3])
    for lr in (0.1, 0.05, 0.025, 0.7, 1e-5, 0.1):
        np.testing.assert_allclose(step(x, lr), reference(x, lr), rtol=3e-7, atol=0)


def test_rule_4_shape_and_number_together(tf: Any) -> None:
    """Four traces; the number is compared at one shape."""
    step, seen = noted(tf, traceonce.function, lambda x, k: tf.reduce_sum(x) * k)
    calls = [(size, float(size * 2)) for size in range(1, 9)]
    assert [float(step(tf.ones([size]), k)) for size, k in calls * 2] == [size * k for size, k in calls * 2]
    assert len(seen) <= 5


def test_rule_4_a_trap_at_another_shape(tf: Any) -> None:
    """A number that may be lifted at one shape may not at the next."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k: x * k if x.shape[0] == 1 else x + (5.0 if isinstance(k, float) else 0.0) * k)
        return [thrice(step, tf.ones([size]), k) for size in (1, 2) for k in (1.0, 2.0, 3.0, 4.0)]

    alike(tf, program)


def test_rule_4_a_trap_in_a_branch_that_is_not_taken(tf: Any) -> None:
    """Running both traces on the data at hand says nothing about the other side of a `tf.cond`."""

    def program(function: Maker) -> Any:
        @function
        def step(x: Any, k: float) -> Any:
            if x > 100.0:
                return x * (2.0 if isinstance(k, float) else 3.0)
            return x * k

        return [thrice(step, tf.constant(x), k) for x in (1.0, 200.0) for k in (1.0, 2.0, 3.0, 4.0)]

    alike(tf, program)


def test_rule_4_two_numbers_one_of_which_cannot(tf: Any) -> None:
    """Each is decided by itself: the step is lifted, the number of layers is not."""
    step, seen = noted(tf, traceonce.function, lambda x, rate, layers: sum([x * rate] * layers))
    answers = [float(step(tf.constant(1.0), rate, 2)) for rate in (0.5, 0.25, 0.125, 1.0, 2.0)]
    assert answers == [1.0, 0.5, 0.25, 2.0, 4.0]
    assert len(seen) == 4
    answers = [float(step(tf.constant(1.0), rate, layers)) for layers in (3, 4) for rate in (0.5, 0.25, 0.125, 1.0)]
    assert answers == [1.5, 0.75, 0.375, 3.0, 2.0, 1.0, 0.5, 4.0]


def test_rule_4_numbers_in_nests_and_keywords(tf: Any) -> None:
    """Wherever they stand, they are lifted."""
    step, seen = noted(tf, traceonce.function, lambda x, more, *, k=1.0: x * more["rates"][0] * k)
    for number in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert float(step(tf.constant(2.0), {"rates": [number]}, k=0.5)) == number
    assert len(seen) == 4
    for number in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert float(step(tf.constant(2.0), {"rates": [1.0]}, k=number)) == 2.0 * number
