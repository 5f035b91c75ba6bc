"""A replay beside everything else: a recording of the same run, Keras, strategies, another TensorFlow."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.tensorflow.replayed import arrays, replay
from traceonce.errors import BackendUnavailable
from traceonce.facts.replay import ReplaySettings
from traceonce.frameworks.tensorflow import TensorFlow, probes


@pytest.mark.parametrize("first", ["recording", "replay"])
def test_a_recording_of_the_same_run_is_as_ever(tf: Any, first: str) -> None:
    """Both look at the frames around them: neither may stand in the other's way, in any order."""

    class Model(tf.Module):
        @tf.function(reduce_retracing=True)
        def step(self, x: Any, k: int) -> Any:
            return x * k

    def run() -> None:
        model = Model()
        for width, k in ((1, 1), (2, 1), (3, 1), (4, 2)):
            model.step(tf.ones([width]), k)

    with traceonce.watch() as alone:
        run()
    with contextlib.ExitStack() as both:
        if first == "replay":
            replaying = both.enter_context(replay())
        seen = both.enter_context(traceonce.watch())
        if first == "recording":
            replaying = both.enter_context(replay())
        run()
        result = replaying.result()
    assert [(event.signature, event.traced, event.phase) for event in seen.events] == [
        (event.signature, event.traced, event.phase) for event in alone.events
    ]
    assert [diagnosis.causes for diagnosis in seen.diagnoses] == [diagnosis.causes for diagnosis in alone.diagnoses]
    names = {event.function for event in seen.events}
    assert {returned.function for returned in result.returned} == names
    assert {making.function for making in result.makings} | {site.function for site in result.sites} == names
    assert sum(returned.traces for returned in result.returned) == len(seen.events)


def test_keras_trains_and_saves(tf: Any, tmp_path: Path) -> None:
    losses = []
    for _ in range(2):
        with replay() as replaying:
            model = tf.keras.Sequential(
                [tf.keras.layers.Dense(4), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
            )
            model.compile("adam", "mse")
            data = tf.random.normal([20, 3])
            losses.append(model.fit(data, data[:, :1], batch_size=8, epochs=2, verbose=0).history["loss"])
            model.export(str(tmp_path / f"model{len(losses)}"))
            result = replaying.result()
    assert losses[0] == losses[1]
    assert result.variables
    assert result.returned == (), "the functions are Keras' own"


def test_a_strategy_runs(tf: Any) -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with replay() as replaying:
        with strategy.scope():
            variable = tf.Variable(0.0)

        @tf.function
        def step(x: Any) -> Any:
            return strategy.run(lambda: variable.assign_add(x) + tf.random.uniform([]))

        for _ in range(2):
            step(tf.constant(1.0))
        result = replaying.result()
    one, two = (float(arrays(returned)[0]) for returned in result.returned)
    assert 1 <= one < 2 <= two < 3
    assert one % 1 != two % 1
    assert [value.data for value in result.variables] == [variable.numpy().tobytes()]


def test_every_private_place_is_there(tf: Any) -> None:
    """This is the test that fails loudly when a new TensorFlow moves something."""
    assert probes.probe_for_replay(tf, probes.probe(tf)).ops is not None


def test_where_something_has_moved_it_is_said(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorflow.python.framework import random_seed

    monkeypatch.delattr(random_seed, "get_seed")
    with pytest.raises(BackendUnavailable, match=r"random_seed\.get_seed is gone"):
        TensorFlow().replay(ReplaySettings(), lambda: None)


def test_without_tensorflow_there_is_nothing_to_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    with pytest.raises(BackendUnavailable, match="has not been imported"):
        TensorFlow().replay(ReplaySettings(), lambda: None)


def test_all_is_put_back(tf: Any) -> None:
    import numpy as np
    from tensorflow.python.eager import context
    from tensorflow.python.eager.polymorphic_function import polymorphic_function
    from tensorflow.python.ops import stateful_random_ops

    places = probes.probe_for_replay(tf, probes.probe(tf))

    def standing() -> list[Any]:
        owners = [module for module in places[1:-1] if module is not None] + [owner for owner, _ in places.own_random]
        owners += [
            polymorphic_function.Function,
            places.resource_variable_ops.BaseResourceVariable,
            stateful_random_ops,
        ]
        return [*(dict(vars(owner)) for owner in owners), np.random.default_rng, context.global_seed()]

    before = standing()
    with replay(eager=True):
        assert standing() != before
    assert standing() == before
