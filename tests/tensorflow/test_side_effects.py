"""State that a traced body changes is changed by tracing alone; and what must not be taken for that."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import traceonce
from traceonce.facts import Reason, Verdict

SEEN = 0
HISTORY: list[Any] = []
COUNTS = {"all": 0}
trace_count = 0


@pytest.fixture(autouse=True)
def state_is_put_back() -> Any:
    yield
    globals().update(SEEN=0, trace_count=0)
    HISTORY.clear()
    COUNTS["all"] = 0


def effects(seen: traceonce.Watch) -> list[tuple[str, str, str, str]]:
    causes = [cause for diagnosis in seen.diagnoses for cause in diagnosis.causes if cause.code.value == "side_effect"]
    return sorted((cause.path, cause.was, cause.now, cause.evidence) for cause in causes)


class Annealed:
    def __init__(self, tf: Any) -> None:
        self.temperature = 1.0
        self.sample = tf.function(self._sample)

    def _sample(self, x: Any) -> Any:
        self.temperature *= 0.9
        return x / self.temperature


def test_an_attribute(tf: Any) -> None:
    model = Annealed(tf)
    with traceonce.watch() as seen:
        answers = [round(float(model.sample(tf.constant(1.0))), 3) for _ in range(3)]
    assert answers == [1.111, 1.111, 1.111]  # 1.111, 1.235, 1.372 would be right
    assert effects(seen) == [("self.temperature", "1.0", "0.9", "measured")]
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.verdict, diagnosis.reason) == (Verdict.STALE, Reason.CHANGED_BY_TRACING)
    assert "its body changes Python state" in str(seen)


def test_a_global_a_list_an_entry_and_a_helper(tf: Any) -> None:
    def helper(x: Any) -> Any:
        COUNTS["all"] = COUNTS["all"] + 1
        return x

    @tf.function
    def step(x: Any) -> Any:
        global SEEN
        SEEN += 1
        HISTORY.append(x)
        return helper(x)

    with traceonce.watch() as seen:
        for _ in range(3):
            step(tf.constant(1.0))
    assert effects(seen) == [
        ("COUNTS['all']", "0", "1", "measured"),
        ("HISTORY", "0 items", "1 item", "measured"),
        ("SEEN", "0", "1", "measured"),
    ]


def test_numpy_arrays_and_attributes_by_name(tf: Any) -> None:
    class Counted:
        def __init__(self) -> None:
            self.counts = np.zeros(3, np.int64)
            self.total = np.zeros(50)
            self.n = 0

        @tf.function
        def call(self, x: Any, k: int) -> Any:
            self.counts[k] += 1
            np.add(self.total, 1.0, out=self.total)
            setattr(self, "n", getattr(self, "n", 0) + 1)  # noqa: B010  # that is what is tested
            return x

    model = Counted()
    with traceonce.watch() as seen:
        for _ in range(3):
            model.call(tf.constant(1.0), 1)
    assert [(path, was, now) for path, was, now, _ in effects(seen) if path != "self.total"] == [
        ("self.counts", "[0, 0, 0]", "[0, 1, 0]"),
        ("self.n", "0", "1"),
    ]
    assert "self.total" in {path for path, *_ in effects(seen)}


def test_what_is_set_while_tracing_and_put_back_is_not_set_again(tf: Any) -> None:
    labels: set[str] = set()

    @tf.function
    def step(x: Any) -> Any:
        global SEEN
        SEEN = 7
        labels.add("seen")
        COUNTS.update(all=9)
        return x

    with traceonce.watch() as seen:
        for _ in range(3):
            step(tf.constant(1.0))
    assert effects(seen) == []  # they are as the body would set them
    with traceonce.watch() as seen:
        step(tf.zeros([2]))
        labels.clear()
        step(tf.zeros([3]))
        globals().update(SEEN=0)
        labels.clear()
        step(tf.zeros([3]))
    assert labels == set()
    assert effects(seen) == [("labels", "1 item", "0 items", "measured")]
    assert "later calls do not set it" in str(seen)


def test_one_call_harms_nobody(tf: Any) -> None:
    """Whether traced or not, the state has changed once for the one call that there was."""
    model = Annealed(tf)
    with traceonce.watch() as seen:
        model.sample(tf.constant(1.0))
    assert effects(seen) == []


def test_what_is_meant_to_happen_once(tf: Any) -> None:
    class Lazy:
        def __init__(self) -> None:
            self.weight: Any = None
            self.built = False
            self.layers: list[Any] = []
            self.cache: dict[Any, Any] = {}
            self.last: Any = None

        @tf.function
        def call(self, x: Any) -> Any:
            global trace_count
            trace_count += 1
            if self.weight is None:
                self.weight = tf.Variable(2.0)
            if not self.built:
                self.layers.append("dense")
                self.built = True
            if x.dtype not in self.cache:
                self.cache[x.dtype] = 1
            self.last = x.dtype.name
            mine = []
            mine.append(x)
            total = 0.0
            total += 1.0
            return mine[0] * self.weight * total

    model = Lazy()
    with traceonce.watch() as seen:
        for _ in range(4):
            model.call(tf.constant(1.0))
    assert effects(seen) == []
    assert [diagnosis.verdict for diagnosis in seen.diagnoses] == [Verdict.OK]


def test_a_variable_is_right(tf: Any) -> None:
    weight = tf.Variable(1.0)
    step = tf.function(lambda: weight.assign_add(1.0))
    with traceonce.watch() as seen:
        assert [float(step()) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert effects(seen) == []


def test_random_numbers_and_items_that_only_tracing_draws(tf: Any) -> None:
    items = iter([1.0, 2.0, 3.0])

    @tf.function
    def noisy(x: Any) -> Any:
        return x + np.random.normal() + random.random()

    @tf.function
    def taken(x: Any) -> Any:
        return x + next(items)

    with traceonce.watch() as seen:
        assert len({float(noisy(tf.constant(0.0, tf.float64))) for _ in range(3)}) == 1
        assert [float(taken(tf.constant(0.0))) for _ in range(3)] == [1.0, 1.0, 1.0]
    assert effects(seen) == [
        ("items", "3 items left", "2 items left", "measured"),
        ("np.random", "", "", "measured"),
        ("random", "", "", "measured"),
    ]
    assert "random numbers that the body drew during tracing: every call gets the same ones" in str(seen)
    assert "an iterator that the body advanced during tracing: every call gets the same item" in str(seen)


def test_random_numbers_that_are_meant_to_be_drawn_once(tf: Any) -> None:
    class Layer:
        weight: Any = None

        @tf.function
        def call(self, x: Any) -> Any:
            if self.weight is None:
                self.weight = tf.Variable(np.random.normal(size=2))
            mask = np.random.default_rng(0).normal(size=2)
            return self.weight * x * mask + tf.random.normal([2], seed=random.randint(0, 9), dtype=x.dtype)

    data = iter(tf.data.Dataset.range(9))
    step = tf.function(lambda x: tf.numpy_function(lambda y: y + np.random.normal(), [x], x.dtype))
    layer = Layer()
    with traceonce.watch() as seen:
        for _ in range(3):
            layer.call(tf.zeros([2], tf.float64))
            step(tf.zeros([2], tf.float64))
            tf.function(lambda: next(data))()
    assert effects(seen) == []


def test_in_a_function_of_a_dataset(tf: Any) -> None:
    """Nobody sees its runs; there is one for each element."""

    def augment(x: Any) -> Any:
        return tf.cast(x, tf.float64) + np.random.normal()

    with traceonce.watch() as seen:
        noise = [float(x) - n for n, x in enumerate(tf.data.Dataset.range(3).map(augment))]
    assert len({round(each, 9) for each in noise}) == 1
    assert effects(seen) == [("np.random", "", "", "inferred")]


def test_in_a_function_inside_of_a_function(tf: Any) -> None:
    """The inner graph runs as a part of the outer one."""
    model = Annealed(tf)
    outer = tf.function(lambda x: model.sample(x) + 1.0)
    with traceonce.watch() as seen:
        assert len({float(outer(tf.constant(1.0))) for _ in range(3)}) == 1
    assert effects(seen) == [("self.temperature", "1.0", "0.9", "measured")]


def test_in_the_users_methods_that_keras_calls(tf: Any) -> None:
    keras = pytest.importorskip("keras", minversion="3.0")

    class Model(keras.Model):  # type: ignore[misc]  # untyped
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(1)
            self.beta = 0.0
            self.sizes: dict[str, Any] = {}

        def call(self, x: Any) -> Any:
            self.sizes["x"] = x.shape
            return self.dense(x)

        def train_step(self, data: Any) -> Any:
            self.beta += 0.5
            with tf.GradientTape() as tape:
                loss = self.beta * tf.reduce_mean((self(data[0]) - data[1]) ** 2)
            weights = self.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return {"loss": loss}

    model = Model()
    model.compile("sgd")
    with traceonce.watch() as seen:
        model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=2, verbose=0)
    assert model.beta < 2.0  # after four steps
    ((path, _, _, evidence),) = effects(seen)
    assert (path, evidence) == (f"self.beta ({Model.train_step.__qualname__})", "measured")
    assert "send this report" not in str(seen)  # the cause is not in the library
