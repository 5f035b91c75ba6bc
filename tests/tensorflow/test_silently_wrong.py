"""No retrace, wrong answer: stale and confused values, and what must not be taken for one."""

from __future__ import annotations

import contextlib
import gc
import logging
from typing import Any

import pytest

import traceonce
from traceonce.facts import Verdict

RATE = 0.5
FACTORS = {"k": 3.0}
COUNTER = 0
WORD = "hello"
log = logging.getLogger(__name__)


def findings_of(seen: traceonce.Watch) -> list[tuple[str, str, str, str, str]]:
    return [
        (c.code.value, c.path, c.was, c.now, c.evidence)
        for d in seen.diagnoses
        for c in d.causes
        if c.code.value in ("stale", "confused")
    ]


@pytest.fixture(autouse=True)
def globals_are_put_back() -> Any:
    yield
    globals().update(RATE=0.5, COUNTER=0, WORD="hello")
    FACTORS["k"] = 3.0


def test_a_changed_global(tf: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * RATE

    with traceonce.watch() as seen:
        first = float(step(tf.constant(1.0)))
        globals()["RATE"] = 0.25
        second = float(step(tf.constant(1.0)))
    assert (first, second) == (0.5, 0.5)  # TensorFlow's answer: 0.25 would be right
    assert findings_of(seen) == [("stale", "RATE", "0.5", "0.25", "measured")]
    assert seen["step"].verdict is Verdict.STALE


def test_a_changed_entry_of_a_global_dict(tf: Any) -> None:
    step = tf.function(lambda x: x * FACTORS["k"])
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        FACTORS["k"] = 7.0
        step(tf.constant(1.0))
    assert findings_of(seen) == [("stale", "FACTORS['k']", "3.0", "7.0", "measured")]


def test_a_changed_flag_of_self_is_inferred(tf: Any) -> None:
    """A flag that chose a branch leaves no mark in the graph: say so."""

    class Model:
        def __init__(self) -> None:
            self.flag = True

        @tf.function
        def step(self, x: Any) -> Any:
            return x + 1 if self.flag else x - 1

    model = Model()
    with traceonce.watch() as seen:
        model.step(tf.constant(1.0))
        model.flag = False
        model.step(tf.constant(1.0))
    assert findings_of(seen) == [("stale", "self.flag", "True", "False", "inferred")]


def test_a_changed_closure_and_a_value_read_in_a_callee(tf: Any) -> None:
    scale = 3.5

    class Model:
        weight = 2.5

        def loss(self, x: Any) -> Any:
            return x * self.weight

        @tf.function
        def step(self, x: Any) -> Any:
            return self.loss(x) * scale

    model = Model()
    with traceonce.watch() as seen:
        model.step(tf.constant(1.0))
        scale = 4.5
        model.weight = 9.5
        model.step(tf.constant(1.0))
    assert {finding[1:4] for finding in findings_of(seen)} == {("scale", "3.5", "4.5"), ("self.weight", "2.5", "9.5")}


def test_a_changed_attribute_of_an_argument(tf: Any) -> None:
    class Config:
        value = 10.5

    step = tf.function(lambda config, x: x * config.value)
    config = Config()
    with traceonce.watch() as seen:
        step(config, tf.constant(1.0))
        config.value = 99.5
        step(config, tf.constant(1.0))
    assert findings_of(seen) == [("stale", "config.value", "10.5", "99.5", "measured")]


def test_a_rebound_tensor_and_a_rebound_variable(tf: Any) -> None:
    state = {"tensor": tf.constant(1.0), "variable": tf.Variable(2.0)}
    step = tf.function(lambda x: x + state["tensor"] * state["variable"])
    kept = dict(state)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        state.update(tensor=tf.constant(100.0), variable=tf.Variable(5.0))
        step(tf.constant(1.0))
    assert [(code, path, evidence) for code, path, _, _, evidence in findings_of(seen)] == [
        ("stale", "state['tensor']", "measured"),
        ("stale", "state['variable']", "measured"),
    ]
    assert kept


def test_a_rebound_variable_that_is_gone(tf: Any) -> None:
    """TensorFlow refuses to list the variables of a graph then; the finding is not lost with it."""
    held = {"v": tf.Variable(2.0)}

    @tf.function
    def step(x: Any) -> Any:
        return x + held["v"]

    with traceonce.watch() as seen:
        step(1.0)
        held["v"] = tf.Variable(3.0)
        gc.collect()
        with contextlib.suppress(tf.errors.FailedPreconditionError, AssertionError):
            step(1.0)
    assert [(code, path) for code, path, *_ in findings_of(seen)] == [("stale", "held['v']")]
    assert [notice.text for notice in seen.recording.notices if notice.error] == []


def test_an_assigned_variable_is_right(tf: Any) -> None:
    variable = tf.Variable(1.0)
    step = tf.function(lambda x: x * variable)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        variable.assign(5.0)
        assert float(step(tf.constant(1.0))) == 5.0
    assert findings_of(seen) == []


def test_a_value_fetched_at_each_call_is_not_stale(tf: Any) -> None:
    from tensorflow.python.framework import ops

    value = 2.5

    @tf.function
    def step(x: Any) -> Any:
        return x + ops.get_default_graph().capture_call_time_value(lambda: value, tf.TensorSpec(None, tf.float32))

    with traceonce.watch() as seen:
        first = float(step(tf.constant(2.0)))
        value = 3.5
        assert (first, float(step(tf.constant(2.0)))) == (4.5, 5.5)
    assert findings_of(seen) == []


def test_a_change_long_after_the_trace_is_seen_at_the_end(tf: Any) -> None:
    step = tf.function(lambda x: x * RATE)
    with traceonce.watch() as seen:
        for _ in range(50):
            step(tf.constant(1.0))
        globals()["RATE"] = 0.125
        for _ in range(5):
            step(tf.constant(1.0))
    assert findings_of(seen) == [("stale", "RATE", "0.5", "0.125", "inferred")]
    assert "a call after the change uses the old value" in seen.report()
    assert seen.diagnoses[0].verdict is Verdict.OK


@pytest.mark.parametrize("calls", [1, 3])
def test_a_change_after_the_last_call_harms_nobody(tf: Any, calls: int) -> None:
    step = tf.function(lambda x: x * RATE)
    with traceonce.watch() as seen:
        for _ in range(calls):
            step(tf.constant(1.0))
        globals()["RATE"] = 0.125
    assert findings_of(seen) == []


def test_each_trace_has_its_own_values(tf: Any) -> None:
    """A retrace for another shape reads the new value; the first trace still has the old one."""
    step = tf.function(lambda x: tf.reduce_sum(x) * RATE)
    with traceonce.watch() as seen:
        answers = [float(step(tf.ones([4])))]
        globals()["RATE"] = 0.25
        answers += [float(step(tf.ones([2]))), float(step(tf.ones([4])))]
    assert answers == [2.0, 0.5, 2.0]  # the last should be 1.0
    assert findings_of(seen) == [("stale", "RATE", "0.5", "0.25", "measured")]


def test_the_objects_of_the_call_decide_not_those_of_the_latest_trace(tf: Any) -> None:
    class Config:
        def __init__(self, value: float) -> None:
            self.value = value

    step = tf.function(lambda config, x: x * config.value)
    a, b = Config(2.5), Config(3.5)
    with traceonce.watch() as seen:
        step(a, tf.constant(1.0))
        step(b, tf.constant(1.0))
        b.value = 9.5
        assert float(step(a, tf.constant(1.0))) == 2.5
    assert findings_of(seen) == []


def test_another_instance_being_called_proves_nothing(tf: Any) -> None:
    class Model:
        rate = 0.5

        @tf.function
        def step(self, x: Any) -> Any:
            return x * self.rate

    a, b = Model(), Model()
    with traceonce.watch() as seen:
        a.step(tf.constant(1.0))
        a.rate = 0.75
        for _ in range(3):
            b.step(tf.constant(1.0))
    assert findings_of(seen) == []


def test_a_value_read_by_a_layer_that_is_called(tf: Any) -> None:
    class Scale(tf.keras.layers.Layer):  # type: ignore[misc]  # untyped base
        def __init__(self) -> None:
            super().__init__()
            self.alpha = 2.5

        def call(self, x: Any) -> Any:
            return self.scale(x)

        def scale(self, x: Any) -> Any:
            self.calls = 1
            return x * self.alpha

    layer = Scale()
    step = tf.function(lambda x: layer(x))
    with traceonce.watch() as seen:
        step(tf.constant([1.0]))
        layer.alpha = 4.5
        layer.calls = 7  # its own: written by the method itself
        step(tf.constant([1.0]))
    assert [finding[:4] for finding in findings_of(seen)] == [("stale", "layer.alpha", "2.5", "4.5")]


def test_no_cry_of_wolf(tf: Any) -> None:
    """A counter that the function bumps itself, a logger, a value only printed or logged."""

    class Model:
        def __init__(self) -> None:
            self.traced = 0
            self.name = "a"
            self.epoch = 0

        @tf.function
        def step(self, x: Any) -> Any:
            global COUNTER
            COUNTER += 1
            self.traced += 1
            print("tracing", WORD, self.epoch)
            log.debug("epoch %s %s", self.epoch, WORD)
            return x + 1

    model = Model()
    with traceonce.watch() as seen:
        for epoch in range(4):
            model.epoch = epoch
            globals()["WORD"] = f"word {epoch}"
            globals()["COUNTER"] += 1
            model.step(tf.constant(1.0))
    assert findings_of(seen) == []


def test_confused_numbers(tf: Any) -> None:
    step = tf.function(lambda x, k: x / k if isinstance(k, float) else x // k)
    with traceonce.watch() as seen:
        answers = [float(step(tf.constant(7.0), k)) for k in (2, 2.0)]
    assert answers == [3.0, 3.0]  # 3.5 would be right
    assert findings_of(seen) == [("confused", "k", "2 (int)", "2.0 (float)", "measured")]
    assert seen.diagnoses[0].verdict is Verdict.CONFUSED


def test_one_against_true_inside_a_nest(tf: Any) -> None:
    step = tf.function(lambda x, options: x + 1 if options["training"] is True else x)
    with traceonce.watch() as seen:
        step(tf.constant(0.0), {"training": 1})
        step(tf.constant(0.0), {"training": True})
    assert findings_of(seen) == [("confused", "options['training']", "1 (int)", "True (bool)", "measured")]


def test_zero_in_three_types(tf: Any) -> None:
    step = tf.function(lambda k: tf.convert_to_tensor(k))
    with traceonce.watch() as seen:
        dtypes = [step(k).dtype.name for k in (0, False, 0.0)]
    assert dtypes == ["int32"] * 3  # bool and float32 would be right for the last two
    assert [finding[1:4] for finding in findings_of(seen)] == [("k", "0 (int)", "False (bool)")]


def test_the_same_type_is_not_confused(tf: Any) -> None:
    step = tf.function(lambda x, k: x * k)
    with traceonce.watch() as seen:
        for k in (1, 2, 1, 2):
            step(tf.constant(1), k)
    assert findings_of(seen) == []


def test_the_look_at_calls_is_taken_out_again(tf: Any) -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    plain = tracing_compilation.call_function
    step = tf.function(lambda x, k: x * k)
    with traceonce.watch():
        step(tf.constant(1), 1)
        assert tracing_compilation.call_function is not plain
        for _ in range(10):
            step(tf.constant(1), 1)
        assert tracing_compilation.call_function is plain
