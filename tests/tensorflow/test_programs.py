"""Whole situations in real TensorFlow: what is the user's doing, what is not, and whose line it is."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.diagnosed import only
from traceonce.facts import Verdict

HERE = Path(__file__).name


def test_nothing_that_is_not_a_cause(tf: Any) -> None:
    """Eager devices, name scopes, new datasets and iterators, values of tensors, a tensor in an `if`."""

    @tf.function
    def step(x: Any) -> Any:
        if x > 0:
            return x + 1
        return x - 1

    take = tf.function(lambda iterator: next(iterator))
    total = tf.function(lambda dataset: dataset.cardinality())
    with traceonce.watch() as seen:
        for value in (1.0, -1.0, 3.0):
            step(tf.constant(value))
        with tf.device("/CPU:0"):
            step(tf.constant(1.0))
        with tf.name_scope("here"):
            step(tf.constant(1.0))
        for _ in range(3):
            take(iter(tf.data.Dataset.range(10).batch(4)))
            total(tf.data.Dataset.range(10).batch(4))
    assert [(d.traces, d.verdict) for d in seen.diagnoses] == [(1, Verdict.OK)] * 3
    assert sorted(d.calls or 0 for d in seen.diagnoses) == [3, 3, 5]


def test_variables_created_on_the_first_call(tf: Any) -> None:
    """Two traces and an initialiser: one trace of the user's, the rest internal; a later shape is compared rightly."""

    class Model:
        v = None

        @tf.function
        def step(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(1.0)
            return tf.reduce_sum(x) * self.v

    model = Model()
    with traceonce.watch() as seen:
        model.step(tf.zeros([3]))
        assert (only(seen).traces, only(seen).retraces, only(seen).internal) == (1, 0, 2)
        assert only(seen).verdict is Verdict.OK
        model.step(tf.zeros([4]))
    assert only(seen).traces == 2
    assert [(c.code.value, c.path) for c in only(seen).causes] == [("shape", "x.shape[0]")]


def test_the_partial_last_batch_can_be_ignored(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        for _ in range(3):
            for batch in tf.data.Dataset.range(50).batch(4):
                step(batch)
    assert only(seen).traces == 2
    assert only(seen).calls == 39
    assert [(c.code.value, c.path, c.was, c.now) for c in only(seen).causes] == [("shape", "x.shape[0]", "4", "2")]
    assert only(seen).verdict is Verdict.BOUNDED


def test_calls_are_counted_beyond_the_window_of_the_framework(tf: Any) -> None:
    """TensorFlow's own counter forgets; ours does not, also with traces in between."""
    step = tf.function(lambda x, k: x)
    with traceonce.watch() as seen:
        for call in range(200):
            step(tf.constant(1.0), call // 20)
    assert (only(seen).traces, only(seen).calls) == (10, 200)
    assert [event.call for event in seen.events] == [1 + 20 * n for n in range(10)]


def test_calls_before_the_watch_do_not_count(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    for _ in range(30):
        step(tf.zeros([3]))
    with traceonce.watch() as seen:
        step(tf.zeros([4]))
        step(tf.zeros([4]))
    assert only(seen).calls == 2


def test_nested_functions_have_their_own_time(tf: Any) -> None:
    """The outer trace includes the inner one; exclusive seconds do not."""

    @tf.function
    def inner(x: Any) -> Any:
        return tf.reduce_sum(x * 2)

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    with traceonce.watch() as seen:
        outer(tf.zeros([3]))
        outer(tf.zeros([4]))
    inside, outside = seen["inner"], seen["outer"]
    assert (inside.traces, outside.traces) == (2, 2)
    assert outside.seconds > outside.exclusive_seconds
    assert outside.seconds >= inside.seconds
    assert outside.exclusive_seconds + inside.exclusive_seconds == pytest.approx(outside.seconds, abs=1e-5)
    by_id = {event.id: event for event in seen.events}
    assert {by_id[e.parent].function.name.rpartition(".")[2] for e in seen.events if e.parent} == {"outer"}
    assert inside.calls is None
    assert any("not counted" in note for note in inside.notes)


def test_the_line_of_the_call_and_of_the_function(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
    (site,) = only(seen).call_sites
    line = test_the_line_of_the_call_and_of_the_function.__code__.co_firstlineno
    assert (Path(site.file).name, site.line, site.via) == (HERE, line + 3, None)
    assert (Path(only(seen).function.file or "").name, only(seen).function.line) == (HERE, line + 1)


def test_a_function_defined_inside_a_traced_one(tf: Any) -> None:
    """AutoGraph rewrites it; the report has the author's name and line for it."""

    @tf.function
    def outer(x: Any) -> Any:
        @tf.function
        def inner(y: Any) -> Any:
            return y + 1

        return inner(x)

    with traceonce.watch() as seen:
        outer(tf.constant(1.0))
    function = seen["inner"].function
    assert function.name.endswith("outer.<locals>.inner")
    assert (Path(function.file or "").name, function.library) == (HERE, False)
    line = test_a_function_defined_inside_a_traced_one.__code__.co_firstlineno
    assert line + 4 <= (function.line or 0) <= line + 6


def test_a_failed_trace_is_recorded_each_time_and_raises_as_before(tf: Any) -> None:
    bad = tf.function(lambda x: x + tf.constant(1))
    with traceonce.watch() as seen:
        for _ in range(2):
            with pytest.raises(TypeError):
                bad(tf.constant(1.0))
    assert (only(seen).traces, only(seen).failed) == (0, 2)
    assert only(seen).verdict is Verdict.FAILED
    assert "TypeError" in (seen.events[0].error or "")


def test_a_failed_retrace_names_the_cause_of_the_retrace(tf: Any) -> None:
    """Variables made on a later call raise; the argument that led to the trace is what the user needs to know."""

    @tf.function
    def step(x: Any, k: int) -> Any:
        return x + tf.Variable(float(k)) if k else x

    with traceonce.watch() as seen:
        step(tf.constant(1.0), 0)
        for k in (1, 2):
            with pytest.raises(ValueError, match="ariables"):
                step(tf.constant(1.0), k)
    # The second trace is made, and the call is refused after it; only the third is refused while it is traced.
    assert (only(seen).traces, only(seen).failed) == (2, 1)
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [("value", "k", 2)]


@pytest.mark.parametrize("filtered", [True, False])
def test_no_frame_of_ours_in_the_users_traceback(tf: Any, filtered: bool) -> None:
    """While tracing and while running, with TensorFlow's own frames filtered out or not."""
    switch = tf.debugging.enable_traceback_filtering if filtered else tf.debugging.disable_traceback_filtering
    was = tf.debugging.is_traceback_filtering_enabled()

    def broken(x: Any) -> Any:
        raise RuntimeError("mine")

    def frames(function: Any, *args: Any) -> list[tuple[str, str]]:
        try:
            function(*args)
        except (RuntimeError, tf.errors.InvalidArgumentError) as error:
            trace, found = error.__traceback__, []
            while trace is not None:
                found.append((trace.tb_frame.f_code.co_filename, trace.tb_frame.f_code.co_name))
                trace = trace.tb_next
            return found
        raise AssertionError("nothing was raised")

    def both() -> list[list[tuple[str, str]]]:
        fails_when_run = tf.function(lambda x, k: (tf.debugging.assert_greater(x, k), x)[1])
        return [
            frames(tf.function(broken, autograph=False), tf.constant(1.0)),
            frames(fails_when_run, tf.constant([1.0]), 2.0),
            frames(fails_when_run, tf.constant([1.0]), 2.0),
        ]

    switch()
    try:
        unwatched = both()
        with traceonce.watch():
            watched = both()
        if filtered or sys.version_info >= (3, 11):
            assert watched == unwatched
        else:  # Python 3.10 puts a frame back on re-raise: there it looks like one of TensorFlow's
            assert {place for trace in watched for place in trace} == {place for trace in unwatched for place in trace}
    finally:
        (tf.debugging.enable_traceback_filtering if was else tf.debugging.disable_traceback_filtering)()


def test_threads_on_one_function(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)

    def work(number: int) -> None:
        for k in range(5):
            step(tf.constant(1.0), float(k))

    with traceonce.watch() as seen:
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (only(seen).traces, only(seen).calls) == (5, 20)
    assert only(seen).traces == step.experimental_get_tracing_count()


def test_a_trace_that_outlives_its_watch_leaves_nothing_behind(tf: Any) -> None:
    """Another thread is in the middle of a trace when the watch ends."""
    tracing, go_on = threading.Event(), threading.Event()

    def slow(x: Any, k: int) -> Any:
        tracing.set()
        assert go_on.wait(20)
        return x * float(k)

    step = tf.function(slow, autograph=False)
    thread = threading.Thread(target=lambda: step(tf.constant(1.0), 2))
    with traceonce.watch():
        thread.start()
        assert tracing.wait(20)
    go_on.set()
    thread.join(20)
    concrete = step.get_concrete_function(tf.TensorSpec([], tf.float32), 2)
    assert "_call_flat" not in vars(concrete)


def test_gradients_outside_build_a_backward_graph_but_trace_once(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x * x))
    x = tf.constant([1.0, 2.0])
    with traceonce.watch() as seen:
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = step(x)
            tape.gradient(y, x)
    assert (only(seen).traces, only(seen).verdict) == (1, Verdict.OK)
    assert only(seen).backwards >= 1
    assert {event.kind for event in seen.events} == {"trace", "backward"}


def test_the_first_run_is_timed_apart_and_once(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x * x))
    with traceonce.watch() as seen:
        for _ in range(5):
            step(tf.zeros([3]))
        concrete = step.get_concrete_function(tf.TensorSpec([3], tf.float32))
        assert "_call_flat" not in vars(concrete)
    (event,) = seen.events
    assert event.first_run_seconds is not None
    assert event.steady_run_seconds is not None
    assert event.first_run_seconds > event.steady_run_seconds


def test_a_graph_that_never_ran_is_left_as_it_was(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    with traceonce.watch():
        concrete = step.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert "_call_flat" not in vars(concrete)


def test_saved_models(tf: Any, tmp_path: Path) -> None:
    """What saving and loading trace is internal; the loaded function's own calls are the user's."""

    class Model(tf.Module):  # type: ignore[misc]  # untyped base
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return x * self.v

    model = Model()
    with traceonce.watch() as seen:
        model(tf.zeros([2]))
        tf.saved_model.save(model, str(tmp_path))
        loaded = tf.saved_model.load(str(tmp_path))
        for n in (2, 3):
            assert loaded(tf.ones([n])).numpy().tolist() == [1.0] * n
    assert all(d.verdict in (Verdict.OK, Verdict.BOUNDED) for d in seen.diagnoses), seen.report()
    mine = [d for d in seen.diagnoses if not d.function.library]
    assert [(d.function.name.rpartition(".")[2], d.traces, d.retraces) for d in mine] == [("__call__", 1, 0)]
    assert mine[0].internal >= 1


def test_dataset_functions_are_named_by_the_users_function(tf: Any) -> None:
    def parse(x: Any) -> Any:
        return x + 1

    with traceonce.watch() as seen:
        train = tf.data.Dataset.range(3).map(parse)
        valid = tf.data.Dataset.range(3).map(parse)
        assert [int(x) for x in train.concatenate(valid)] == [1, 2, 3, 1, 2, 3]
        list(tf.data.Dataset.range(3).filter(lambda x: x > 1))
    names = {d.function.name.rpartition(".")[2]: d for d in seen.diagnoses}
    assert set(names) == {"parse [dataset]", "<lambda> [dataset]"}
    assert names["parse [dataset]"].traces == 2
    assert all(d.verdict is not Verdict.RETRACING for d in seen.diagnoses)


def test_eager_mode_does_not_trace_but_datasets_still_do(tf: Any) -> None:
    step = tf.function(lambda x, k: x * k)
    with traceonce.watch() as seen:
        tf.config.run_functions_eagerly(True)
        try:
            for k in range(5):
                step(tf.constant(1.0), float(k))
            with pytest.warns(UserWarning, match="tf.data"):
                list(tf.data.Dataset.range(3).map(lambda x: x + 1))
        finally:
            tf.config.run_functions_eagerly(False)
    assert [d.function.name.rpartition(".")[2] for d in seen.diagnoses] == ["<lambda> [dataset]"]


def test_replicas_of_a_strategy(tf: Any) -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        for _ in range(3):
            strategy.run(step, (tf.constant(1.0),))
    assert all(d.verdict in (Verdict.OK, Verdict.BOUNDED) for d in seen.diagnoses), seen.report()
    assert "<lambda>" in {d.function.short_name for d in seen.diagnoses}
    assert not any("call_for_each_replica" in d.function.name for d in seen.diagnoses)


def test_a_library_that_makes_a_function_on_each_call(tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user needs two lines: their own, and the one in the library that traces."""
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "somelib.py").write_text(
        "import tensorflow as tf\n\ndef normalise(x):\n    fresh = tf.function(lambda y: y / 2)\n    return fresh(x)\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr("sysconfig.get_path", lambda name, *rest: str(package))
    import somelib  # type: ignore[import-not-found]  # written above

    with traceonce.watch() as seen:
        for _ in range(4):
            somelib.normalise(tf.constant(1.0))
    diagnosis = only(seen)
    assert diagnosis.function.library
    assert diagnosis.verdict is Verdict.RETRACING
    assert [(c.code.value, c.count) for c in diagnosis.causes] == [("new_function", 3)]
    (site,) = diagnosis.call_sites
    assert Path(site.file).name == HERE
    assert (site.via or "").endswith("somelib.py:5")


def small_model(keras: Any, units: int) -> Any:
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(units), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


@pytest.fixture
def data() -> tuple[Any, Any]:
    return np.zeros((40, 4), "float32"), np.zeros((40, 1), "float32")


def test_keras_fit_and_predict_are_no_alarm(tf: Any, data: tuple[Any, Any]) -> None:
    x, y = data
    with traceonce.watch() as seen:
        model = small_model(tf.keras, 3)
        model.fit(x, y, batch_size=16, epochs=2, verbose=0)
        for rows in (8, 8, 5, 3):
            model.predict(x[:rows], verbose=0)
    assert all(d.verdict in (Verdict.OK, Verdict.BOUNDED) for d in seen.diagnoses), seen.report()
    assert not any("Dataset" in d.function.name for d in seen.diagnoses)
    sites = {Path(site.file).name for d in seen.diagnoses for site in d.call_sites}
    assert sites == {HERE}
    assert any(
        "trainer" in (site.via or "") or "training" in (site.via or "") for d in seen.diagnoses for site in d.call_sites
    )


def test_many_small_models_are_no_alarm(tf: Any, data: tuple[Any, Any]) -> None:
    """Each is another graph: nothing was traced twice."""
    x, y = data
    with traceonce.watch() as seen:
        for units in range(2, 8):
            small_model(tf.keras, units).fit(x, y, batch_size=16, verbose=0)
    assert all(d.verdict in (Verdict.OK, Verdict.BOUNDED) for d in seen.diagnoses), seen.report()


def test_the_same_model_rebuilt_in_a_loop_is(tf: Any, data: tuple[Any, Any]) -> None:
    x, y = data
    with traceonce.watch() as seen:
        for _ in range(5):
            small_model(tf.keras, 3).fit(x, y, batch_size=16, verbose=0)
    bad = [d for d in seen.diagnoses if d.verdict is Verdict.RETRACING]
    assert bad, seen.report()
    assert {c.code.value for d in bad for c in d.causes} == {"new_function"}


def test_a_model_compiled_again_is_traced_again(tf: Any, data: tuple[Any, Any]) -> None:
    """Each `compile` of Keras makes new step functions over the same code."""
    x, y = data
    with traceonce.watch() as seen:
        model = small_model(tf.keras, 3)
        for _ in range(4):
            model.compile("sgd", "mse")
            model.fit(x, y, batch_size=16, verbose=0)
    bad = [d for d in seen.diagnoses if d.verdict is Verdict.RETRACING]
    assert bad, seen.report()
    assert {c.code.value for d in bad for c in d.causes} == {"new_function"}


def test_a_retrace_in_every_fourth_call_is_an_alarm_although_tensorflow_never_warns(
    tf: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(calls_to_a_trace: int) -> bool:
        caplog.clear()
        step = tf.function(lambda x, k: x)
        for call in range(40 * calls_to_a_trace):
            step(tf.constant(1.0), call // calls_to_a_trace)
        return "triggered tf.function retracing" in caplog.text

    monkeypatch.setattr(tf.get_logger(), "propagate", True)
    level = tf.get_logger().level
    tf.get_logger().setLevel("WARNING")
    try:
        assert warned(1)
        with traceonce.watch() as seen:
            assert not warned(4)
    finally:
        tf.get_logger().setLevel(level)
    assert (only(seen).traces, only(seen).calls) == (40, 160)
    assert only(seen).verdict is Verdict.RETRACING


def test_forward_mode_helpers_are_nobodys_retraces(tf: Any) -> None:
    step = tf.function(lambda x: x * x)
    with traceonce.watch() as seen:
        for _ in range(3):
            x = tf.constant(2.0)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
                y = step(x)
            assert float(accumulator.jvp(y)) == 4.0
    assert all(d.verdict is Verdict.OK for d in seen.diagnoses), seen.report()
    assert only(seen).traces == 1


def test_names_that_collide_are_told_apart(tf: Any) -> None:
    class Encoder:
        @tf.function
        def __call__(self, x: Any) -> Any:
            return x + 1

    class Decoder:
        @tf.function
        def __call__(self, x: Any) -> Any:
            return x - 1

    with traceonce.watch() as seen:
        Encoder()(tf.constant(1.0))
        Decoder()(tf.constant(1.0))
        tf.function(lambda x: x * 2)(tf.constant(1.0))
        tf.function(lambda x: x * 3)(tf.constant(1.0))
    assert len(seen.diagnoses) == 4
    assert all((d.traces, d.verdict) == (1, Verdict.OK) for d in seen.diagnoses)
    with pytest.raises(KeyError, match="more than one traced function is called '__call__'"):
        seen["__call__"]


def test_a_growing_decode_is_an_alarm_although_its_lengths_come_back(tf: Any) -> None:
    step = tf.function(lambda tokens: tf.reduce_sum(tokens))
    with traceonce.watch() as seen:
        for _ in range(3):
            for length in range(1, 20):
                step(tf.zeros([1, length]))
    assert (only(seen).traces, only(seen).calls, only(seen).growth) == (19, 57, "levelled")
    assert only(seen).verdict is Verdict.RETRACING
    (fix,) = only(seen).fixes
    assert fix.snippet == "@tf.function(input_signature=[tf.TensorSpec([1, None], tf.float32)])"
    assert fix.predicted_traces == 1


def test_a_search_over_models_is_no_alarm(tf: Any, data: tuple[Any, Any]) -> None:
    """Models of different sizes, each with a partial batch in fit and predict."""
    x, y = data
    with traceonce.watch() as seen:
        for units in (2, 3, 4, 5):
            model = small_model(tf.keras, units)
            model.fit(x, y, batch_size=16, verbose=0)
            model.predict(x, batch_size=16, verbose=0)
    assert all(d.verdict in (Verdict.OK, Verdict.BOUNDED) for d in seen.diagnoses), seen.report()


def test_an_ensemble_is_no_alarm(tf: Any) -> None:
    class Model:
        @tf.function
        def step(self, x: Any) -> Any:
            return x + 1

    ensemble = [Model() for _ in range(6)]
    with traceonce.watch() as seen:
        for _ in range(4):
            for model in ensemble:
                model.step(tf.constant(1.0))
    assert (only(seen).traces, only(seen).verdict) == (6, Verdict.BOUNDED)


def test_a_request_for_a_concrete_function_is_no_call(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        step.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert (only(seen).traces, only(seen).calls) == (1, None)


def test_nested_watches_count_their_own_calls(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as outer:
        for _ in range(10):
            step(tf.zeros([3]))
        with traceonce.watch() as inner:
            for _ in range(2):
                step(tf.zeros([4]))
    assert (only(outer).calls, only(inner).calls) == (12, 2)
    assert [event.call for event in inner.events] == [1]


def test_watches_see_each_their_own(tf: Any) -> None:
    """Nested, repeated and decorated watches each see their own."""

    @traceonce.watch()
    def train() -> float:
        step = tf.function(lambda x: x * 2)
        return float(step(tf.constant(2.0)))

    with traceonce.watch() as outer:
        assert train() == 4.0
        with traceonce.watch() as inner:
            tf.function(lambda y: y + 1)(tf.constant(1.0))
    assert len(train.watched.events) == 1  # type: ignore[attr-defined]  # set by the decorator
    assert len(inner.events) == 1
    assert len(outer.events) == 2
    first, second = (event.id for event in outer.events)
    assert second > first
