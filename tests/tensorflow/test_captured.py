"""The same code made again over data that grows, and what is another model."""

from __future__ import annotations

from typing import Any

import numpy as np

import traceonce
from tests.tensorflow.diagnosed import only
from traceonce.facts import Reason, Verdict


def captured(diagnosis: Any) -> list[tuple[str, str, str, int]]:
    return [(c.path, c.was, c.now, c.count) for c in diagnosis.causes if c.code.value == "captured"]


def named(seen: traceonce.Watch, name: str) -> Any:
    (found,) = (diagnosis for diagnosis in seen.diagnoses if diagnosis.function.short_name == name)
    return found


def test_a_function_made_anew_that_differentiates_through_another_one(tf: Any) -> None:
    """TensorFlow numbers the backward functions on, wherever they come from."""
    weight = tf.Variable([1.0, 2.0])

    def make() -> Any:
        inner = tf.function(lambda: tf.reduce_sum(weight**2))

        @tf.function
        def evaluate(x: Any) -> Any:
            weight.assign(x)
            with tf.GradientTape() as tape:
                loss = inner()
            return tape.gradient(loss, weight)

        return evaluate

    with traceonce.watch() as seen:
        for _ in range(4):
            make()(tf.constant([1.0, 3.0]))
    outer = named(seen, "evaluate")
    assert (outer.retraces, outer.verdict) == (3, Verdict.RETRACING)
    assert [cause.code.value for cause in outer.causes] == ["new_function"]


def test_closures_and_methods_over_data_that_grows(tf: Any) -> None:
    class Process:
        def __init__(self, rows: int) -> None:
            self.data = (tf.ones([rows, 2]), np.ones([rows, 1], np.float32))
            self.predict = tf.function(self._predict)

        def _predict(self, x: Any) -> Any:
            inputs, targets = self.data
            return tf.reduce_sum(inputs) * x + tf.reduce_sum(targets)

    def make(rows: int) -> Any:
        total = tf.function(lambda: tf.reduce_sum(grid))
        grid = tf.ones([rows, 3])

        @tf.function
        def scaled(x: Any) -> Any:
            return total() * x

        return scaled

    with traceonce.watch() as seen:
        for rows in (40, 60, 80):
            Process(rows).predict(tf.constant(1.0))
            make(rows)(tf.constant(1.0))
    method, closure = named(seen, "_predict"), named(seen, "scaled")
    assert (method.retraces, method.verdict) == (2, Verdict.RETRACING)
    assert captured(method) == [
        ("self.data[0]", "[40, 2]", "[60, 2]", 2),
        ("self.data[1]", "[40, 1]", "[60, 1]", 2),
    ]
    assert (closure.retraces, closure.verdict) == (2, Verdict.RETRACING)
    assert captured(closure) == [("grid", "[40, 3]", "[60, 3]", 2)]


def test_what_a_library_closes_over_has_a_name(tf: Any, tmp_path: Any, monkeypatch: Any) -> None:
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "processes.py").write_text(
        "import tensorflow as tf\n\n"
        "class Process:\n    def __init__(self, data):\n        self.model = {'data': data}\n"
        "    def fit(self):\n        return tf.function(lambda: tf.reduce_sum(self.model['data']))()\n"
    )
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr("sysconfig.get_path", lambda name, *rest: str(package))
    import processes  # type: ignore[import-not-found]  # written above

    with traceonce.watch() as seen:
        for rows in (200, 201, 202):
            processes.Process(tf.ones([rows, 1])).fit()
    assert captured(only(seen)) == [("self.model['data']", "[200, 1]", "[201, 1]", 2)]
    assert only(seen).verdict is Verdict.RETRACING


def test_other_layers_may_be_another_model(tf: Any) -> None:
    """Counted, with what differs, and no alarm. Other operations are another model for sure."""

    def make(width: int, trainable: bool) -> Any:
        weights = tf.Variable(tf.ones([4, width]), trainable=trainable)
        return tf.function(lambda x: x @ weights if trainable else tf.nn.relu(x @ weights))

    with traceonce.watch() as seen:
        for width in range(2, 8):
            make(width, True)(tf.ones([1, 4]))
            make(width, False)(tf.ones([1, 4]))
    assert (only(seen).verdict, only(seen).traces, only(seen).retraces) == (Verdict.BOUNDED, 12, 10)
    assert only(seen).reason is Reason.OTHER_SIZES
    assert captured(only(seen)) == [("weights", "[4, 2]", "[4, 3]", 10)]
    assert "weights: [4, 2] → [4, 3]" in " ".join(only(seen).notes)
