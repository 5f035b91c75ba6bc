"""Where a limit could do harm, or hold nothing, and must not."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

import traceonce
from tests.tensorflow.limited import refused
from traceonce.errors import BackendUnavailable
from traceonce.frameworks.tensorflow import TensorFlow, probes


def test_an_object_that_creates_variables_is_not_left_half_made(tf: Any) -> None:
    """Its first trace cannot be taken back: TensorFlow would return None from then on."""

    class Model(tf.Module):  # type: ignore[misc]  # TensorFlow is untyped
        def __init__(self) -> None:
            super().__init__()
            self.v = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(tf.ones([2]))
            return x + self.v

    first, second = Model(), Model()
    with traceonce.watch() as seen, traceonce.limit(0):
        first(tf.zeros([2]))
        for _ in range(3):
            assert second(tf.zeros([2])).numpy().tolist() == [1.0, 1.0]
        refused(second, tf.zeros([1, 2]))
    assert [breach.refused for breach in seen.recording.breaches] == [False, True]
    assert second(tf.zeros([1, 2])).numpy().tolist() == [[1.0, 1.0]]


def test_a_trace_under_way_when_a_limit_comes_is_kept(tf: Any) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def body(x: Any) -> Any:
        inside.set()
        assert go_on.wait(60)
        return x + 1.0

    step = tf.function(body, autograph=False)
    results: list[Any] = []
    with traceonce.watch():
        thread = threading.Thread(target=lambda: results.append(step(tf.zeros([2])).numpy().tolist()))
        thread.start()
        assert inside.wait(60)
        with traceonce.limit(0):
            go_on.set()
            thread.join(60)
    assert results == [[1.0, 1.0]]


def test_a_limit_that_cannot_hold_says_so(tf: Any, monkeypatch: Any, caplog: pytest.LogCaptureFixture) -> None:
    def watch(self: TensorFlow, sink: Any, *, compilations: bool = False) -> Any:
        raise BackendUnavailable("this TensorFlow offers no hook")

    monkeypatch.setattr(TensorFlow, "watch", watch)
    with caplog.at_level(logging.WARNING, "traceonce"), traceonce.limit(3):
        tf.function(lambda x: x)(tf.zeros([2]))
    assert [record.getMessage() for record in caplog.records] == [
        "the limit of 3 retraces may not hold: tensorflow is not watched: this TensorFlow offers no hook"
    ]


def test_limits_hold_on_a_version_that_is_watched_through_callbacks(tf: Any, monkeypatch: Any) -> None:
    """There a function is known by its name and the file that calls it."""

    def moved(tensorflow: Any) -> Any:
        raise probes.Moved("something has moved")

    monkeypatch.setattr(probes, "probe", moved)

    @traceonce.max_traces(1)
    @tf.function
    def decorated(x: Any, k: int) -> Any:
        return x + float(k)

    decorated(tf.zeros([2]), 0)
    with pytest.raises(traceonce.TracingLimitReached, match="retraced 0 times"):
        decorated(tf.zeros([2]), 1)
    step = tf.function(lambda x, k: x + float(k))
    with traceonce.limit(2):
        for k in range(3):
            step(tf.zeros([2]), k)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="retraced 2 times"):
            step(tf.zeros([2]), 3)
        assert step(tf.zeros([2]), 1).numpy().tolist() == [1.0, 1.0]


def test_exporting_a_keras_model_is_not_counted(tf: Any, tmp_path: Any) -> None:
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)])
    if not hasattr(model, "export"):
        pytest.skip("this Keras has no export")
    with traceonce.watch() as seen, traceonce.limit(0):
        for name in ("one", "two"):
            model.export(str(tmp_path / name))
    assert len(seen.events) > 4
    assert (seen.recording.breaches, sum(diagnosis.retraces for diagnosis in seen)) == ((), 0)


def test_the_callers_of_a_refused_function_have_not_failed(tf: Any) -> None:
    inner = tf.function(lambda x: x)

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x)

    with traceonce.watch() as seen, traceonce.limit(0):
        outer(tf.zeros([1]))
        refused(outer, tf.zeros([1, 1]))
    assert {d.function.short_name: (d.verdict.value, d.failed) for d in seen} == {
        "outer": ("ok", 0),
        "<lambda>": ("ok", 0),
    }
    assert "limit  " in seen.report()


def test_counts_and_verdicts_are_up_to_date_inside_a_watch(tf: Any) -> None:
    step = tf.function(lambda x: x)
    with traceonce.watch() as seen:
        for size in (1, 2, 3, 4, 5):
            step(tf.zeros([size]))
        for _ in range(500):
            step(tf.zeros([1]))
        inside = seen["<lambda>"]
    assert (inside.calls, inside.verdict) == (505, seen["<lambda>"].verdict)
    assert seen["<lambda>"].calls == 505
