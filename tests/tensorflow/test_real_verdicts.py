"""Real programs and what their verdicts are: accidents that are no alarm, what stays silent, and what is lost."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import traceonce
from tests.tensorflow.diagnosed import only
from traceonce.facts import Reason, Verdict


def test_flags_multiply(tf: Any) -> None:
    blend = tf.function(lambda flags, x: tf.add_n([x if flag else 2.0 * x for flag in flags]))
    with traceonce.watch() as seen:
        for flags in itertools.product([True, False], repeat=3):
            blend(list(flags), tf.constant(1.0))
    assert (only(seen).traces, only(seen).calls) == (8, 8)
    assert (only(seen).verdict, only(seen).reason) == (Verdict.AVOIDABLE, Reason.FLAGS_MULTIPLY)


def test_a_dtype_that_flips_at_one_line_and_one_that_is_another_use(tf: Any) -> None:
    flips = tf.function(lambda x: tf.reduce_sum(x))
    serves = tf.function(lambda x: tf.reduce_max(x))
    with traceonce.watch() as seen:
        for n in range(40):
            flips(tf.zeros([3], tf.int32 if n % 2 else tf.float32))
            serves(tf.zeros([3]))
        serves(tf.zeros([3], tf.int32))
    assert [(d.verdict, d.reason, d.traces) for d in seen.diagnoses] == [
        (Verdict.AVOIDABLE, Reason.TYPE_CHANGES, 2),
        (Verdict.BOUNDED, Reason.PAID_OFF, 2),
    ]


def test_keys_that_come_and_go(tf: Any) -> None:
    step = tf.function(lambda batch: tf.add_n(list(batch.values())))
    with traceonce.watch() as seen:
        for n in range(20):
            step({"x": tf.constant(1.0)} | ({"mask": tf.constant(2.0)} if n % 2 else {}))
    assert (only(seen).verdict, only(seen).reason) == (Verdict.AVOIDABLE, Reason.KEYS_CHANGE)


def test_sizes_of_data_that_was_read_twice(tf: Any) -> None:
    read = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        for _, width in itertools.product(range(2), (5, 9, 4, 7, 6)):
            read(tf.zeros([width]))
    assert (only(seen).verdict, only(seen).reason) == (Verdict.AVOIDABLE, Reason.READ_TWICE)


def test_a_warm_up_for_a_few_sizes_is_silent(tf: Any) -> None:
    serve = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        for width in (8, 16, 32, 64):
            serve(tf.zeros([width]))
        for n in range(60):
            serve(tf.zeros([(8, 16, 32, 64)[n % 4]]))
    assert only(seen).verdict is Verdict.BOUNDED


def test_a_training_flag_a_partial_batch_and_both_are_silent(tf: Any) -> None:
    step = tf.function(lambda x, training: tf.reduce_sum(x) * (2.0 if training else 1.0))
    with traceonce.watch() as seen:
        for _ in range(3):
            for training, batches in ((True, 6), (False, 3)):
                for number in range(batches):
                    step(tf.zeros([2 if number == batches - 1 else 4]), training)
    assert (only(seen).traces, only(seen).calls) == (4, 27)
    assert only(seen).verdict is Verdict.BOUNDED


def simulate(x: Any, n: int, tf: Any) -> Any:
    for _ in tf.range(200):
        x = tf.tanh(x @ x)
    return x + n


def test_a_graph_that_runs_for_long_has_not_lost_its_run(tf: Any) -> None:
    """TensorFlow prepares a graph in the thread that calls it, and runs it in others: that is what tells them apart."""
    step = tf.function(lambda x, n: simulate(x, n, tf))
    x = tf.ones([400, 400]) * 1e-3
    with traceonce.watch() as seen:
        for n in range(3):
            step(x, n)
    once = seen.events
    assert all(event.steady_run_seconds is None for event in once)
    for event in once[1:]:
        assert event.preparing_seconds is not None
        assert event.first_run_seconds is not None
        assert 0 < event.preparing_seconds < event.first_run_seconds / 2
        assert event.lost_in_first_run == event.preparing_seconds
    assert only(seen).unclear_seconds == pytest.approx(sum(event.unclear_in_first_run for event in once[1:]), abs=1e-5)
    assert only(seen).lost_seconds + only(seen).unclear_seconds < only(seen).seconds + only(seen).first_run_seconds


def test_preparing_a_large_graph_is_lost(tf: Any) -> None:
    """Four hundred operations take longer to prepare than one, in processor time: a busy machine changes nothing."""

    def unrolled(x: Any, n: int) -> Any:
        for index in range(n):
            x = tf.tanh(x) + index
        return x

    step = tf.function(unrolled)
    with traceonce.watch() as seen:
        for n in (1, 2, 400):
            step(tf.constant(1.0), n)
    _, small, large = (event.preparing_seconds for event in seen.events)
    assert small is not None
    assert large is not None
    assert large > 3 * small > 0
