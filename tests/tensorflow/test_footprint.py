"""What watching leaves behind in the user's process: no objects, no garbage, no change of what can be pickled."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import pytest

import traceonce


def count_objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def test_no_new_objects_per_trace(tf: Any) -> None:
    """Recorded events are data: a program that makes and drops functions ends with the objects it began with."""

    def make_and_drop() -> None:
        step = tf.function(lambda x, k: tf.reduce_sum(x) * k)
        for k in range(3):
            step(tf.zeros([k + 1]), float(k))

    with traceonce.watch() as seen:
        for _ in range(3):
            make_and_drop()
        before = count_objects()
        for _ in range(20):
            make_and_drop()
        grown = count_objects() - before
    assert len(seen.events) == 23 * 3
    assert grown <= 5


def test_tensorflows_own_object_count(tf: Any) -> None:
    """The decorator that TensorFlow's own tests use for this."""
    from tensorflow.python.framework import test_util

    class Case(tf.test.TestCase):  # type: ignore[misc]  # untyped base
        @test_util.assert_no_new_pyobjects_executing_eagerly()  # type: ignore[untyped-decorator]
        def test_it(self) -> None:
            step = tf.function(lambda x, k: x * k)
            step(tf.constant(1.0), 2.0)
            step(tf.constant(1.0), 3.0)

        @test_util.assert_no_garbage_created  # type: ignore[untyped-decorator]
        def test_garbage(self) -> None:
            step = tf.function(lambda x: x * 2)
            step(tf.constant(1.0))

    def outcomes() -> list[tuple[str, bool]]:
        found = []
        for name in ("test_it", "test_garbage"):
            result = Case(name).run()
            found.append((name, result.wasSuccessful()))
        return found

    unwatched = outcomes()
    with traceonce.watch():
        assert outcomes() == unwatched
    assert ("test_it", True) in unwatched


def test_functions_and_graphs_are_not_kept_alive(tf: Any) -> None:
    with traceonce.watch():
        step = tf.function(lambda x: x + 1)
        step(tf.constant(1.0))
        graph = weakref.ref(step.get_concrete_function(tf.TensorSpec([], tf.float32)).graph)
        function = weakref.ref(step)
        del step
        gc.collect()
        assert function() is None
        assert graph() is None


def test_arguments_and_instances_are_not_kept_alive(tf: Any) -> None:
    class Model:
        def __init__(self) -> None:
            self.rate = 0.5

        @tf.function
        def step(self, config: Any, x: Any) -> Any:
            return x * self.rate

    class Config:
        pass

    with traceonce.watch():
        model, config = Model(), Config()
        model.step(config, tf.constant(1.0))
        references = [weakref.ref(model), weakref.ref(config)]
        del model, config
        gc.collect()
        assert [reference() for reference in references] == [None, None]


def test_a_watched_function_can_be_copied(tf: Any) -> None:
    """As far as TensorFlow itself allows: before its first trace; after it, the refusal is the same."""
    step = tf.function(_double)
    with traceonce.watch() as seen:
        twin = copy.deepcopy(step)
        assert float(twin(tf.constant(1.0), 3)) == 3.0
        with pytest.raises(TypeError, match="FuncGraph"):
            copy.deepcopy(twin)
    assert len(seen.events) == 1


def _double(x: Any, k: int) -> Any:
    return x * float(k)


def test_outputs_are_unchanged(tf: Any) -> None:
    def program() -> list[float]:
        tf.random.set_seed(7)
        weight = tf.Variable(tf.random.normal([4, 4], seed=1))

        @tf.function
        def step(x: Any, k: int) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ weight) ** 2) * float(k + 1)
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
            return loss

        return [float(step(tf.random.normal([n, 4], seed=n), n)) for n in (1, 2, 3, 2, 1)]

    plain = program()
    with traceonce.watch():
        assert program() == plain


def test_an_error_of_ours_is_recorded_and_the_program_goes_on(tf: Any, monkeypatch: Any) -> None:
    from traceonce.frameworks.tensorflow.signatures import SignatureReader

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("ours")

    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        monkeypatch.setattr(SignatureReader, "read", fail)
        assert float(step(tf.constant(1.0))) == 2.0
        monkeypatch.undo()
        assert float(step(tf.constant(2.0))) == 3.0
    problems = [notice.text for notice in seen.recording.notices if notice.error]
    assert len(problems) == 1
    assert "ZeroDivisionError: ours" in problems[0]
