"""Whose line: where a function was made, what the user calls it, and the line of each cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import traceonce
from tests.source_lines import line_of
from tests.tensorflow.diagnosed import only


def test_where_a_function_was_made(tf: Any) -> None:
    """By a call, by a decorator on a method, and for an object of its class."""

    def body(x: Any) -> Any:
        return x

    with traceonce.watch() as seen:

        class Model:
            @tf.function
            def step(self, x: Any) -> Any:
                return x

        tf.function(body)(tf.constant(1.0))  # made
        Model().step(tf.constant(1.0))
    made = {d.function.short_name: d.made_at for d in seen.diagnoses}
    here = test_where_a_function_was_made
    assert {name: (Path(site.file).name, site.line) for name, site in made.items() if site is not None} == {
        "body": (Path(__file__).name, line_of(here, "# made")),
        "step": (Path(__file__).name, line_of(here, "@tf.function")),
    }
    assert f", made at {made['body'].file}:{made['body'].line}" in str(traceonce_text(seen, "body"))


def traceonce_text(seen: traceonce.Watch, name: str) -> str:
    from traceonce.report.sentences import describe_place

    (found,) = (diagnosis for diagnosis in seen.diagnoses if diagnosis.function.short_name == name)
    return describe_place(found.function, found.backend, found.made_at)


def test_what_keras_compiles_is_known_by_the_users_call(tf: Any) -> None:
    keras = tf.keras
    inputs, targets = np.zeros((8, 4), "float32"), np.zeros((8, 1), "float32")
    network = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    network.compile("sgd", "mse")
    with traceonce.watch() as seen:
        network.fit(inputs, targets, verbose=0)  # fitted
        network.predict(inputs, verbose=0)
    known = {d.known_as for d in seen.diagnoses if d.function.library}
    assert known == {"network.fit (Sequential)", "network.predict (Sequential)"}
    fit = next(d for d in seen.diagnoses if d.known_as == "network.fit (Sequential)")
    assert fit.made_at is not None
    assert fit.made_at.line == line_of(test_what_keras_compiles_is_known_by_the_users_call, "# fitted")


def test_each_cause_has_its_own_line(tf: Any) -> None:
    step = tf.function(lambda x, n: x * n)
    with traceonce.watch() as seen:
        for size in range(2, 8):
            step(tf.ones(size), 1)  # sizes
        for number in range(2, 5):
            step(tf.ones(2), number)  # numbers
    here = test_each_cause_has_its_own_line
    lines = {cause.path: cause.call_site.line for cause in only(seen).causes if cause.call_site is not None}
    assert lines == {"x.shape[0]": line_of(here, "# sizes"), "n": line_of(here, "# numbers")}
    assert f"at {only(seen).call_sites[1].file}:{line_of(here, '# numbers')}" in str(seen)


def test_the_json_report_has_them_all(tf: Any) -> None:
    step = tf.function(lambda x: x)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
    (entry,) = json.loads(seen.report("json"))["functions"]
    assert entry["parts"] == []
    assert entry["made_at"] is None  # before the watch
