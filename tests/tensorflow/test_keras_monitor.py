"""`traceonce.keras.TraceMonitor` in real fits: what it counts, its limit, and what it leaves behind."""

from __future__ import annotations

import copy
import csv
import gc
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from traceonce.keras import TraceMonitor
from traceonce.observe.hub import hub

MESSAGE = "The tracing limit has been reached"


@pytest.fixture
def data() -> tuple[Any, Any]:
    return np.zeros((8, 4), "float32"), np.zeros((8, 1), "float32")


def small_model(tf: Any, units: int = 3) -> Any:
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(units, input_shape=(4,)), tf.keras.layers.Dense(1)]
        if tf.__version__ < "2.16"
        else [tf.keras.Input((4,)), tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    return model


def retracing_model(tf: Any) -> Any:
    """Each step passes its number to a tf.function: one retrace per step, but for the first."""

    class Model(tf.keras.Model):  # type: ignore[misc]  # untyped base
        steps = 0

        @tf.function(autograph=False)
        def inner(self, x: Any, step: int) -> Any:
            return tf.reduce_sum(x) * step

        def train_step(self, batch: Any) -> dict[str, Any]:
            self.steps += 1
            return {"loss": self.inner(batch[0], self.steps)}

    model = Model()
    model.compile("sgd", "mse", run_eagerly=True)
    return model


def each_batch(tf: Any, work: Any) -> Any:
    """A callback that does something after each batch."""

    class EachBatch(tf.keras.callbacks.Callback):  # type: ignore[misc]  # untyped base
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            work(batch)

    return EachBatch()


def fit(model: Any, data: tuple[Any, Any], *callbacks: Any, **options: Any) -> dict[str, list[Any]]:
    """Four steps per epoch; gives the History."""
    options = {"batch_size": 2, "epochs": 1, "verbose": 0, "shuffle": False} | options
    history: dict[str, list[Any]] = model.fit(*data, callbacks=list(callbacks), **options).history
    return history


def test_the_history_has_what_was_traced_in_each_epoch(tf: Any, data: Any) -> None:
    monitor = TraceMonitor()
    with traceonce.watch() as seen:
        history = fit(retracing_model(tf), data, monitor, epochs=3)
    assert history["traces"] == [4, 4, 4]
    assert history["retraces"] == [3, 4, 4]
    seconds = [event.exclusive_seconds or 0.0 for event in seen.events if event.function.short_name == "inner"]
    assert len(seconds) == 12
    assert history["tracing_seconds"] == pytest.approx([sum(seconds[n : n + 4]) for n in (0, 4, 8)], abs=1e-5)
    assert (monitor.traces, monitor.retraces) == (12, 11)
    assert monitor.tracing_seconds == pytest.approx(sum(seconds), abs=1e-5)


def test_a_healthy_fit_traces_in_its_first_epoch_only(tf: Any, data: Any) -> None:
    """With validation."""
    monitor = TraceMonitor(limit=0, on_limit="raise")
    with traceonce.watch() as seen:
        history = fit(small_model(tf), data, monitor, epochs=3, validation_data=data)
    traced = sum(d.traces for d in seen.diagnoses)
    assert traced >= 2
    assert history["traces"] == [traced, 0, 0]
    assert history["retraces"] == [0, 0, 0]
    assert history["tracing_seconds"][1:] == [0.0, 0.0]
    assert history["tracing_seconds"][0] > 0
    assert "val_loss" in history


def test_the_time_of_a_trace_inside_a_trace_counts_once(tf: Any, data: Any) -> None:
    inner = tf.function(lambda x: tf.reduce_sum(x))
    outer = tf.function(lambda x: inner(x) + 1)
    at_once = each_batch(tf, lambda batch: outer(tf.zeros([batch + 1])))
    with traceonce.watch() as seen:
        history = fit(retracing_model(tf), data, TraceMonitor(), at_once)
    mine = [event for event in seen.events if event.phase != "internal"]
    nested = [event for event in mine if event.parent is not None]
    assert (history["traces"], len(nested)) == ([12], 4)
    whole = sum(event.seconds or 0.0 for event in mine) - sum(event.seconds or 0.0 for event in nested)
    assert history["tracing_seconds"] == pytest.approx([whole], abs=1e-4)


def test_validation_is_counted_in_its_epoch(tf: Any, data: Any) -> None:
    history = fit(small_model(tf), data, TraceMonitor(), epochs=4, validation_data=data, validation_freq=2)
    assert [traces > 0 for traces in history["traces"]] == [True, True, False, False]


def test_other_callbacks_and_the_progress_bar_have_it(
    tf: Any, data: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.csv"
    fit(retracing_model(tf), data, TraceMonitor(), tf.keras.callbacks.CSVLogger(log), epochs=2, verbose=2)
    with log.open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["traces"], row["retraces"]) for row in rows] == [("4", "3"), ("4", "4")]
    assert "retraces: 3.0" in capsys.readouterr().out


def test_several_fits_count_on(tf: Any, data: Any) -> None:
    """Each fit on its own in its History, all of them in the monitor; a model that was traced before stays traced."""
    monitor = TraceMonitor()
    healthy, bad = small_model(tf), retracing_model(tf)
    first = fit(healthy, data, monitor)["traces"][0]
    assert fit(healthy, data, monitor)["traces"] == [0]
    assert fit(bad, data, monitor)["retraces"] == [3]
    assert fit(bad, data, monitor)["retraces"] == [4]
    assert (monitor.traces, monitor.retraces) == (first + 8, 7)


def test_two_models_with_a_monitor_each(tf: Any, data: Any) -> None:
    """A fit inside a fit: the outer monitor sees both."""
    outer, inner = TraceMonitor(), TraceMonitor()
    other = retracing_model(tf)

    def nested(batch: int) -> None:
        if batch == 0:
            fit(other, data, inner)

    assert fit(retracing_model(tf), data, outer, each_batch(tf, nested))["traces"] == [8]
    assert (outer.traces, inner.traces) == (8, 4)


def test_past_the_limit_it_warns_once_per_function_and_cause(tf: Any, data: Any) -> None:
    model = retracing_model(tf)
    with pytest.warns(traceonce.TracingLimitWarning) as caught:
        history = fit(model, data, TraceMonitor(limit=2), epochs=2)
    (warning,) = caught
    text = str(warning.message)
    assert text.startswith("The function 'inner' has been retraced 2 times. " + MESSAGE)
    assert "cause      step: now 4, before 3" in text
    assert history["retraces"] == [3, 4]


def test_the_limit_is_for_one_fit(tf: Any, data: Any) -> None:
    model, monitor = retracing_model(tf), TraceMonitor(limit=4, on_limit="raise")
    assert fit(model, data, monitor)["retraces"] == [3]
    assert fit(model, data, monitor)["retraces"] == [4]
    assert monitor.retraces == 7


def test_stop_ends_training_after_the_step_under_way(tf: Any, data: Any) -> None:
    """And warns once, though a second function gets past the limit in that step."""
    model, done = retracing_model(tf), []
    other = tf.function(lambda k: tf.constant(k), autograph=False)

    def work(batch: int) -> None:
        other(batch)
        done.append(batch)

    with pytest.warns(traceonce.TracingLimitWarning) as caught:
        history = fit(model, data, TraceMonitor(limit=1, on_limit="stop"), each_batch(tf, work), epochs=5)
    (warning,) = caught
    assert MESSAGE in str(warning.message)
    assert "training   stops after this step" in str(warning.message)
    assert done == [0, 1, 2]
    assert model.steps == 3
    assert history["retraces"] == [2 + 2]
    with pytest.warns(traceonce.TracingLimitWarning):
        fit(model, data, TraceMonitor(limit=1, on_limit="stop"))
    assert model.steps == 5


def test_raise(tf: Any, data: Any) -> None:
    model, monitor = retracing_model(tf), TraceMonitor(limit=1, on_limit="raise")
    in_step = each_batch(tf, lambda batch: None)  # or Keras runs callbacks in a thread, which ends when it likes
    with pytest.raises(traceonce.TracingLimitReached, match=MESSAGE) as caught:
        fit(model, data, monitor, in_step)
    assert isinstance(caught.value, tf.errors.ResourceExhaustedError)
    assert caught.value.breach.retraces == 1
    assert (monitor.traces, monitor.retraces) == (2, 1)
    del caught  # it holds the frame of `fit`: see below
    gc.collect()


def test_a_function_is_called_with_each_breach(tf: Any, data: Any) -> None:
    breaches: list[traceonce.Breach] = []
    fit(retracing_model(tf), data, TraceMonitor(limit=1, on_limit=breaches.append))
    assert [(breach.retraces, breach.causes[0].now) for breach in breaches] == [(1, "3"), (2, "4")]


def test_without_a_limit_nothing_is_said(tf: Any, data: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit(retracing_model(tf), data, TraceMonitor())["retraces"] == [3]


def test_it_watches_during_fit_only(tf: Any, data: Any) -> None:
    model, monitor = retracing_model(tf), TraceMonitor(limit=0, on_limit="raise")
    fit(small_model(tf), data, monitor)
    traced = monitor.traces
    model.inner(tf.zeros([3]), 1)
    model.inner(tf.zeros([3]), 2)
    assert monitor.traces == traced
    assert not hub.hooks


def break_down(batch: int) -> None:
    raise ZeroDivisionError


def test_a_fit_that_raises_leaves_no_hook(tf: Any, data: Any) -> None:
    """`on_train_end` is not called then; nor is the next fit disturbed."""
    model, monitor = retracing_model(tf), TraceMonitor(limit=5, on_limit="raise")
    with pytest.raises(ZeroDivisionError):
        fit(model, data, monitor, each_batch(tf, break_down))
    gc.collect()  # the error is in a cycle with its own traceback
    assert not hub.hooks
    assert monitor.traces == 1
    assert fit(model, data, monitor)["traces"] == [4]
    assert monitor.traces == 5


def test_a_fit_whose_error_is_kept_is_over_all_the_same(tf: Any, data: Any) -> None:
    """A notebook keeps the last error, and with it the frame of `fit`: hooks may stay, but count and refuse nothing."""
    model, monitor = retracing_model(tf), TraceMonitor(limit=0, on_limit="raise")
    observers = []
    count = each_batch(tf, lambda batch: observers.append(len(hub._observers)))
    with pytest.raises(ZeroDivisionError) as kept:
        fit(model, data, monitor, count, each_batch(tf, break_down))
    assert hub.hooks
    for step in range(5):
        model.inner(tf.zeros([3]), -step)
    assert fit(model, data)["loss"]
    assert (monitor.traces, monitor.retraces) == (1, 0)
    monitor.limit = 1
    with pytest.raises(traceonce.TracingLimitReached):
        fit(model, data, monitor, count)
    assert observers == [2, 2]
    del kept
    gc.collect()
    assert not hub.hooks


def test_a_loop_of_ones_own(tf: Any) -> None:
    """Which calls the callbacks itself, from more than one place, and once forgets to end."""

    def begin(monitor: Any) -> Any:
        callbacks = tf.keras.callbacks.CallbackList([monitor], model=small_model(tf))
        callbacks.on_train_begin()
        return callbacks

    monitor = TraceMonitor()
    callbacks = begin(monitor)
    step = tf.function(lambda k: tf.constant(k))
    logs: dict[str, Any] = {"loss": 0.0}
    for k in range(3):
        step(k)
    monitor.on_epoch_end(0, logs)
    assert (logs["traces"], logs["retraces"]) == (3, 2)
    callbacks.on_train_end()
    assert not hub.hooks
    monitor.on_train_begin()
    step(3)
    monitor.on_epoch_end(1)
    assert monitor.traces == 4
    del callbacks, monitor
    gc.collect()
    assert not hub.hooks


def test_no_method_is_called_for_each_batch(tf: Any) -> None:
    base = tf.keras.callbacks.Callback
    assert issubclass(TraceMonitor, base)
    names = [name for name in dir(base) if name.startswith("on_") and "batch" in name]
    assert len(names) == 8
    assert all(getattr(TraceMonitor, name) is getattr(base, name) for name in names)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda monitor: pickle.loads(pickle.dumps(monitor))])
def test_it_can_be_copied(tf: Any, data: Any, duplicate: Any) -> None:
    """Tuners copy callbacks for each trial; even a copy made during a fit has only its own."""
    monitor, twins = TraceMonitor(limit=7, on_limit="stop"), []

    def take_a_copy(batch: int) -> None:
        monitor.set_model(None)
        twins.append(duplicate(monitor))

    fit(retracing_model(tf), data, monitor, each_batch(tf, take_a_copy))
    twin = twins[-1]
    assert (twin.limit, twin.on_limit, twin.traces) == (7, "stop", 4)
    assert fit(retracing_model(tf), data, twin)["traces"] == [4]
    assert (monitor.traces, twin.traces) == (4, 8)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"limit": -1}, ValueError, "limit must be 0 or more, not -1"),
        ({"limit": 1.5}, TypeError, "limit must be a whole number, not 1.5"),
        ({"limit": True}, TypeError, "limit must be a whole number, not True"),
        ({"limit": "5"}, TypeError, "limit must be a whole number, not '5'"),
        ({"on_limit": "halt"}, ValueError, "on_limit must be 'warn', 'stop', 'raise' or a function .* not 'halt'"),
    ],
)
def test_what_cannot_be_asked_for(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TraceMonitor(**options)


def in_a_process(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_name_is_there_before_keras_is() -> None:
    loaded = "import sys, traceonce; traceonce.keras; print('keras' in sys.modules, 'tensorflow' in sys.modules)"
    assert in_a_process(loaded) == "False False\n"
    asked = "import sys, traceonce; traceonce.keras.TraceMonitor; print('keras' in sys.modules)"
    assert in_a_process(asked) == "True\n"


def test_without_keras_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['keras'] = sys.modules['tensorflow'] = None\n"
        "try:\n    from traceonce.keras import TraceMonitor\n"
        "except ImportError as error:\n    print(error)"
    )
    said = in_a_process(program)
    assert said.startswith("traceonce.keras.TraceMonitor is a Keras callback, and Keras cannot be imported here (")
    assert "pip install 'traceonce[tensorflow]'" in said
