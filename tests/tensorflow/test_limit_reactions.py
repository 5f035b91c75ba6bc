"""Limits that warn or call back; and what happens when something of ours goes wrong."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NoReturn

import pytest

import traceonce
from tests.tensorflow.limited import at_once
from traceonce.facts import Breach
from traceonce.limits.trace_counts import Count

HERE = Path(__file__).name


def test_a_warning_comes_once_per_function_and_cause_at_the_users_line(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(0, on_limit="warn")
    step(tf.zeros([1]), 0.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for k in (1.0, 2.0, 3.0):
            step(tf.zeros([1]), k)
        for size in (2, 3):
            step(tf.zeros([size]), 0.0)
    line = test_a_warning_comes_once_per_function_and_cause_at_the_users_line.__code__.co_firstlineno
    assert [(w.category, Path(w.filename).name, w.lineno - line) for w in seen] == [
        (traceonce.TracingLimitWarning, HERE, 7),
        (traceonce.TracingLimitWarning, HERE, 9),
    ]
    assert str(seen[0].message).startswith("The function '<lambda>' has been retraced 0 times.")
    assert str(seen[1].message).startswith("The function '<lambda>' has been retraced 3 times.")
    assert step.experimental_get_tracing_count() == 6


def test_threads_warn_once(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(0, on_limit="warn")
    step(tf.constant(1.0), 0.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert at_once(lambda number: step(tf.constant(1.0), float(number + 1))) == []
    assert len(seen) == 1


def test_a_warning_that_is_an_error_refuses_the_trace_each_time(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(1, on_limit="warn")
    with traceonce.watch() as seen:
        for k in (0.0, 1.0):
            step(tf.constant(1.0), k)
        for k in (2.0, 2.0, 3.0):  # warnings are errors in these tests
            with pytest.raises(traceonce.TracingLimitWarning, match="has been retraced 1 times"):
                step(tf.constant(1.0), k)
    assert step.experimental_get_tracing_count() == 2
    assert len(seen.events) == 2
    assert [breach.refused for breach in seen.recording.breaches] == [True] * 3
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        step(tf.constant(1.0), 2.0)
    assert "has been retraced 1 times" in str(said[0].message)
    assert step.experimental_get_tracing_count() == 3


def test_a_callback_is_called_for_each_trace_past_the_limit(tf: Any) -> None:
    got: list[Breach] = []
    step = traceonce.max_traces(1, on_limit=got.append)(tf.function(lambda x: x + 1))
    for size in (1, 2, 2, 3):
        step(tf.zeros([size]))
    assert [(b.traces, b.retraces, b.refused, b.causes[0].now) for b in got] == [
        (1, 0, False, "2"),
        (2, 1, False, "3"),
    ]


def test_a_callback_is_called_once_for_the_first_trace(tf: Any) -> None:
    got: list[Breach] = []
    tf.function(traceonce.max_traces(0, on_limit=got.append)(lambda x: x + 1))(tf.zeros([1]))
    assert [(b.traces, b.retraces) for b in got] == [(0, 0)]


def test_a_callback_is_called_for_another_object_over_the_same_code(tf: Any) -> None:
    got: list[Breach] = []
    traceonce.limit(0, on_limit=got.append)
    for _ in range(3):
        tf.function(lambda x: x + 1)(tf.zeros([1]))
    assert [b.retraces for b in got] == [0, 1]


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_what_a_callback_raises_reaches_the_program(tf: Any, kind: type[BaseException]) -> None:
    angry = True

    def stop(breach: Breach) -> None:
        if angry:
            raise kind("enough")

    step = tf.function(lambda x: x + 1)
    traceonce.limit(0, on_limit=stop)
    step(tf.zeros([1]))
    for _ in range(2):
        with pytest.raises(kind, match="enough"):
            step(tf.zeros([2]))
    assert step.experimental_get_tracing_count() == 1
    angry = False
    step(tf.zeros([2]))


def test_a_callback_may_trace_and_set_limits(tf: Any) -> None:
    helper = tf.function(lambda x: x * 2)
    doubled: list[float] = []

    def react(breach: Breach) -> None:
        traceonce.limit(None)
        doubled.append(float(helper(tf.constant(2.0))))

    step = tf.function(lambda x: x + 1)
    traceonce.limit(0, on_limit=react)
    for size in (1, 2, 3):
        step(tf.zeros([size]))
    assert doubled == [4.0]


# When something goes wrong


@pytest.mark.parametrize("method", ["consider", "end"])
def test_an_error_of_ours_is_recorded_and_the_program_goes_on(
    tf: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **options: Any) -> NoReturn:
        raise LookupError("ours")

    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen, traceonce.limit(2):
        monkeypatch.setattr(Count, method, broken)
        for size in (1, 2, 3):
            step(tf.zeros([size]))
        monkeypatch.undo()
    problems = [notice.text for notice in seen.recording.notices if notice.error]
    assert problems == [
        "the limit of 2 retraces failed inside traceonce (LookupError: ours); the program was not affected, "
        "but the limit may not have held"
    ]
    assert len(seen.events) == 3


def test_where_only_finished_traces_are_seen_the_limit_holds_all_the_same(
    tf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown version of TensorFlow is watched through its callbacks."""
    from traceonce.frameworks.tensorflow import probes

    monkeypatch.setattr(probes, "NEWEST", (2, 14))
    step = tf.function(lambda x: x + 1)
    with traceonce.limit(1):
        step(tf.zeros([1]))
        step(tf.zeros([2]))
        with pytest.raises(tf.errors.ResourceExhaustedError, match="has been retraced 1 times"):
            step(tf.zeros([3]))
        step(tf.zeros([2]))
    assert step.experimental_get_tracing_count() == 2
