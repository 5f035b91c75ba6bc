"""What a replay keeps of calls: results, errors, traces; and that the program does not notice."""

from __future__ import annotations

import collections
import threading
import traceback
from typing import Any

import numpy as np
import pytest

from tests.tensorflow.replayed import arrays, replay
from traceonce.errors import BackendUnavailable
from traceonce.facts import FunctionId
from traceonce.facts.replay import ReplaySettings, stable_name
from traceonce.frameworks import fake
from traceonce.frameworks.base.replay import values

Pair = collections.namedtuple("Pair", ["left", "right"])


def test_results_are_kept_in_order_with_their_traces(tf: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * 2

    with replay() as replaying:
        for width in (2, 3, 2):
            step(tf.ones([width]))
        result = replaying.result()
    assert [returned.function.short_name for returned in result.returned] == ["step"] * 3
    assert [returned.traces for returned in result.returned] == [1, 1, 0]
    assert [arrays(returned)[0].tolist() for returned in result.returned] == [[2, 2], [2, 2, 2], [2, 2]]
    assert result.seconds > sum(returned.seconds for returned in result.returned) > 0
    step(tf.ones([5]))
    assert len(replaying.result().returned) == 3, "stopped, it still listens"


def test_structures_that_differ_are_told_apart(tf: Any) -> None:
    shapes: list[Any] = [
        lambda x: x,
        lambda x: [x],
        lambda x: (x,),
        lambda x: {"a": x},
        lambda x: {"b": x},
        lambda x: Pair(x, x),
        lambda x: [x, [x]],
        lambda x: [[x], x],
        lambda x: tf.RaggedTensor.from_row_lengths(x, [2, 0]),
        lambda x: tf.sparse.from_dense(x),
    ]
    with replay() as replaying:
        for shape in shapes:
            tf.function(shape)(tf.constant([1.0, 2.0]))
        structures = [returned.structure for returned in replaying.result().returned]
    assert len(set(structures)) == len(shapes), structures


def test_every_kind_of_leaf_is_read(tf: Any) -> None:
    variable = tf.Variable([1, 2])

    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        return {
            "bfloat16": tf.cast(x, tf.bfloat16),
            "bool": x > 1,
            "complex": tf.complex(x, x),
            "large": tf.ones([values.MOST_ELEMENTS + 1]),
            "none": None,
            "text": tf.constant(["ab", "c"]),
            "variable": variable,
        }

    with replay() as replaying:
        step(tf.constant([1.0, 2.0]))
        (returned,) = replaying.result().returned
    leaves = dict(
        zip(["bfloat16", "bool", "complex", "large", "none", "text", "variable"], returned.values, strict=True)
    )
    assert (leaves["bfloat16"].dtype, len(leaves["bfloat16"].data or b"")) == ("bfloat16", 4)
    assert leaves["bool"].data == b"\x00\x01"
    assert np.frombuffer(leaves["complex"].data or b"", "complex64").tolist() == [1 + 1j, 2 + 2j]
    assert leaves["large"].data is None
    assert leaves["large"].summary == (100_001.0, 100_001.0, 1.0, 1.0)
    assert (leaves["none"].kind, leaves["none"].type_name) == ("python", "NoneType")
    assert (leaves["text"].dtype, leaves["text"].text) == ("string", "[b'ab', b'c']")
    assert np.frombuffer(leaves["variable"].data or b"", "int32").tolist() == [1, 2]


def test_beyond_a_budget_only_sums_are_kept(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_BYTES", 100)
    step = tf.function(lambda x: x + 1)
    with replay() as replaying:
        for _ in range(3):
            step(tf.zeros([10]))
        result = replaying.result()
    assert [returned.values[0].data is None for returned in result.returned] == [False, False, True]
    assert result.returned[2].values[0].summary == (10.0, 10.0, 1.0, 1.0)


def test_an_error_passes_through_and_shows_no_frame_of_ours(tf: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        raise ValueError("mine")

    def told() -> list[tuple[str, int]]:
        with pytest.raises(ValueError, match="mine") as caught:
            step(tf.ones([1]))
        frames = traceback.extract_tb(caught.value.__traceback__)
        # Python 3.10 puts a frame back that was taken out; there it stays, disguised as TensorFlow's.
        return [(frame.filename, frame.lineno or 0) for frame in frames[1:] if frame.name != "__call__"]

    told()  # the first call of all takes another way through TensorFlow
    plain = told()
    with replay() as replaying:
        assert told() == plain
        (returned,) = replaying.result().returned
    assert returned.error == "ValueError"
    assert "mine" in returned.message


def test_an_error_has_the_same_name_traced_and_run_eagerly(tf: Any) -> None:
    def divide(x: Any) -> Any:
        return 1 // 0

    def look_up(x: Any) -> Any:
        return {}["a"]

    for eager in (False, True):
        with replay(eager=eager) as replaying:
            for body in (divide, look_up):
                with pytest.raises(Exception):  # noqa: B017, PT011  # which one is the question
                    tf.function(body)(tf.ones([1]))
            names = [returned.error for returned in replaying.result().returned]
        assert names == ["ZeroDivisionError", "KeyError"]


def test_the_limit_ends_the_program_after_the_last_call_was_kept(tf: Any) -> None:
    class Over(BaseException):
        pass

    kept = []

    def enough() -> None:
        kept.append(len(replaying.result().returned))
        raise Over

    step = tf.function(lambda x: x + 1)
    with replay(enough, calls=3) as replaying:
        step(tf.ones([1]))
        step(tf.ones([1]))
        with pytest.raises(Over):
            step(tf.ones([1]))
    assert kept == [3]


def test_a_call_inside_another_one_is_not_the_programs_own(tf: Any) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return x + 1

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) * 2

    for eager in (False, True):
        with replay(eager=eager) as replaying:
            outer(tf.ones([1]))
            inner(tf.ones([1]))
            names = [returned.function.short_name for returned in replaying.result().returned]
        assert names == ["outer", "inner"]


def test_python_results_of_an_eager_run_compare_with_traced_ones(tf: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return 1, 2.5, True, "a", np.float64(3), np.arange(2), None, [x, x.shape[0]]

    seen = []
    for eager in (False, True):
        with replay(eager=eager) as replaying:
            step(tf.ones([2]))
            (returned,) = replaying.result().returned
        seen.append((returned.values, returned.structure))
    assert seen[0] == seen[1]
    assert not tf.config.functions_run_eagerly()


def test_tracing_is_known_while_it_lasts(tf: Any) -> None:
    seen = []
    with replay() as replaying:

        @tf.function
        def step(x: Any) -> Any:
            seen.append(replaying.is_tracing())
            return tf.cond(x > 0, lambda: x, lambda: -x)

        step(tf.constant(1.0))
        seen.append(replaying.is_tracing())
        with pytest.raises(TypeError):
            tf.function(lambda x: x + "a")(tf.constant(1.0))
        seen.append(replaying.is_tracing())
    assert seen == [True, False, False]


def test_threads_do_not_disturb_each_other(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    start = threading.Barrier(4)

    def work(width: int) -> None:
        start.wait(60)
        for _ in range(5):
            step(tf.ones([width]))

    with replay() as replaying:
        threads = [threading.Thread(target=work, args=(width,)) for width in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        returned = replaying.result().returned
    assert sorted(each.values[0].shape[0] for each in returned) == sorted([1, 2, 3, 4] * 5)


def test_calls_from_threads_of_tensorflow_are_left_out(tf: Any) -> None:
    """They run ahead of the program, in an order that chance decides."""
    step = tf.function(lambda x: x + 1)
    inside = []

    def call_back(x: Any) -> Any:
        inside.append(float(step(x)))
        return x

    with replay() as replaying:
        dataset = tf.data.Dataset.range(3).map(
            lambda i: tf.py_function(call_back, [tf.cast(i, tf.float32)], tf.float32)
        )
        list(dataset)
        returned = replaying.result().returned
    assert inside == [1.0, 2.0, 3.0]
    assert returned == ()


def test_an_error_of_ours_does_not_reach_the_program(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Any:
        raise RuntimeError("ours")

    step = tf.function(lambda x: x + 1)
    with pytest.raises(AssertionError, match="ours"), replay() as replaying:  # noqa: PT012
        monkeypatch.setattr(values.Values, "read", broken)
        assert float(step(tf.constant(1.0))) == 2.0
        assert replaying.result().returned == ()
    monkeypatch.undo()


def test_variables_alive_at_the_end_oldest_first(tf: Any) -> None:
    class Lazy(tf.Module):
        weights: Any = None

        @tf.function
        def step(self, x: Any) -> Any:
            if self.weights is None:
                self.weights = tf.Variable(tf.fill([2], 5.0))
            return self.weights.assign_add(x)

    before = tf.Variable(0.0)
    with replay() as replaying:
        first = tf.Variable([1.0, 2.0])
        tf.Variable("gone")
        lazy = Lazy()
        lazy.step(tf.ones([2]))
        second = tf.Variable(7)
        second.assign_add(1)
        tf.function(lambda: tf.random.normal([2]) + first)()
        found = replaying.result().variables
    assert float(before) == 0.0, "alive, but older than the replay"
    assert [(value.dtype, value.data) for value in found] == [
        ("float32", np.float32([1, 2]).tobytes()),
        ("float32", np.float32([6, 6]).tobytes()),
        ("int32", np.int32(8).tobytes()),
    ]


def test_a_name_that_outlives_a_repair() -> None:
    assert stable_name(FunctionId("train.<locals>.step", "a.py", 3)) == stable_name(FunctionId("step", "a.py", 9))
    assert stable_name(FunctionId("main.<locals>.Model.step", "a.py")) == "a.py:Model.step"
    assert stable_name(FunctionId("step", "a.py")) != stable_name(FunctionId("step", "b.py"))


def test_the_fake_framework_says_that_it_has_no_results() -> None:
    with pytest.raises(BackendUnavailable, match="nothing to compare"):
        fake.Fake().replay(ReplaySettings(), lambda: None)
