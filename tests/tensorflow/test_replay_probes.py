"""Calls beyond the run: which ones are made, from which state, and what is told of them."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy as np

from tests.tensorflow.replayed import arrays, replay
from traceonce.facts.replay import Probed, Returned
from traceonce.frameworks.base.replay import beyond_the_run

HERE = __file__


def name_of(function: str) -> str:
    from traceonce.frameworks.base.places import Places

    return f"{Places().shorten(HERE)}:{function}"


def changes(probed: list[Probed]) -> list[str]:
    return [each.change for each in probed]


def outcome(returned: Returned) -> Any:
    return returned.error or [array.tolist() for array in arrays(returned)]


def test_numbers_and_sizes_are_changed_one_at_a_time(tf: Any) -> None:
    @tf.function
    def step(x: Any, k: int, rate: float, flag: bool, text: str) -> Any:
        return tf.reduce_sum(x) * k * rate

    with replay(probe=(name_of("step"),)) as replaying:
        step(tf.ones([2, 3]), 4, 0.5, True, "a")
        step(tf.ones([2, 3]), 5, 0.5, True, "a")
        probed = list(replaying.probe())
        assert len(replaying.result().returned) == 2, "a probe is no call of the program's"
    last = [each.change for each in probed if each.path == "k"][:6]
    assert last == ["k = 0", "k = 1", "k = -1", "k = 6", "k = -5", "k = 53"]
    assert [each.change for each in probed if each.path == "k"][6:] == ["k = 5", "k = -4", "k = 43"], (
        "of the first call"
    )
    assert [each.change for each in probed if each.path == "rate"] == [
        "rate = 0",
        "rate = 1",
        "rate = -0.5",
        "rate = 8",
        "rate = 0.501",
    ]
    assert [each.change for each in probed if "shape" in each.path] == ["x.shape[0]: 2 → 3", "x.shape[1]: 3 → 4"]
    results = {each.change: outcome(each.returned) for each in probed}
    assert results["k = 53"] == [6 * 53 * 0.5]
    assert results["x.shape[1]: 3 → 4"] == [8 * 5 * 0.5]


def test_amounts_grow_slowly(tf: Any) -> None:
    @tf.function
    def step(size: int) -> Any:
        return tf.constant(size)

    with replay(probe=(name_of("step"),)) as replaying:
        step(5000)
        assert changes(list(replaying.probe())) == ["size = 0", "size = 1", "size = 5001"]


def test_dimensions_of_one_size_grow_together(tf: Any) -> None:
    """Alone, a longer batch would be refused by any function that has labels beside it."""

    @tf.function
    def step(x: Any, labels: Any) -> Any:
        return tf.reduce_sum(x * labels[:, None])

    with replay(probe=(name_of("step"),)) as replaying:
        step(tf.ones([4, 2]), np.ones([4], "float32"))
        results = {each.change: outcome(each.returned) for each in replaying.probe()}
    assert results["x.shape[0], labels.shape[0]: 4 → 5"] == [10.0]
    assert isinstance(results["x.shape[0]: 4 → 5"], str), "an error is a result, too"
    assert results["x.shape[1]: 2 → 3"] == [12.0]


def test_containers_and_composites_are_reached(tf: Any) -> None:
    @tf.function
    def step(batch: Any, *rest: Any, **more: Any) -> Any:
        return tf.reduce_sum(rest[0].flat_values) + tf.sparse.reduce_sum(more["s"]) * batch["lr"][0]

    with replay(probe=(name_of("step"),)) as replaying:
        step(
            {"lr": [0.25, np.float32(1)], "n": tf.constant(7)},
            tf.ragged.constant([[1.0], [2.0, 3.0]]),
            s=tf.sparse.from_dense([[0.0, 1.0, 0.0]]),
        )
        probed = list(replaying.probe())
    seen = changes(probed)
    for wanted in (
        "batch['lr'][0] = -0.25",
        "batch['lr'][1] = 13",
        "batch['n'] = 73",
        "rest[0].shape[0]: 2 → 3",
        "more['s'].shape[1]: 3 → 4",
    ):
        assert wanted in seen
    results = {each.change: outcome(each.returned) for each in probed}
    assert results["rest[0].shape[0]: 2 → 3"] == [11.25]
    assert results["batch['lr'][0] = -0.25"] == [5.75]


def test_a_number_made_a_tensor_is_probed_alike(tf: Any) -> None:
    """So that a function can be compared with itself repaired."""

    @tf.function
    def step(k: Any) -> Any:
        return tf.cast(k, tf.float32) * 2

    def seen(value: Any) -> set[str]:
        with replay(probe=(name_of("step"),)) as replaying:
            step(value)
            return set(changes(list(replaying.probe())))

    assert seen(3) == seen(tf.constant(3))
    assert seen(0.1) == seen(tf.constant(0.1))
    assert {"k = 0", "k = 1", "k = -3", "k = 33"} <= seen(3) & seen(tf.constant(3.0))
    assert "k = -1" not in seen(tf.constant(3, tf.uint8))


def test_every_probe_starts_from_where_the_program_ended(tf: Any) -> None:
    total = []

    @tf.function
    def step(k: Any) -> Any:
        return total[0].assign_add(tf.cast(k, tf.float32)) + tf.random.uniform([])

    with replay(probe=(name_of("step"),)) as replaying:
        total.append(tf.Variable(0.0))
        step(tf.constant(10))
        python, numpy = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
        seen = {each.change: outcome(each.returned)[0] for each in replaying.probe()}
        assert float(total[0]) == 10.0
        assert random.getstate() == python
        assert np.random.get_state()[1].tolist() == numpy  # type: ignore[index]
        assert float(total[0].assign_add(5.0)) == 15.0
    assert seen["k = 1"] - seen["k = 0"] == 1.0
    assert seen["k = 11"] - seen["k = -1"] == 12.0


def test_there_is_an_end_to_it(tf: Any) -> None:
    @tf.function
    def step(*numbers: int) -> Any:
        return tf.constant(sum(numbers))

    with replay(probe=(name_of("step"),)) as replaying:
        step(*range(20, 50))
        assert len(list(replaying.probe())) == beyond_the_run.MOST


def test_only_what_was_asked_for_is_probed(tf: Any) -> None:
    @tf.function
    def step(k: int) -> Any:
        return tf.constant(k)

    @tf.function
    def other(k: int) -> Any:
        return step(k)

    with replay(probe=(name_of("other"),)) as replaying:
        step(2)
        other(2)
        assert {each.function.short_name for each in replaying.probe()} == {"other"}


def test_arguments_are_as_they_were_at_the_call(tf: Any) -> None:
    @tf.function
    def step(batch: Any, k: int) -> Any:
        return tf.reduce_sum(batch["x"]) * k

    with replay(probe=(name_of("step"),)) as replaying:
        array = np.ones([2], "float32")
        batch: dict[str, Any] = {"x": array}
        step(batch, 3)
        array[:] = 100.0
        batch["y"] = 5
        results = {each.change: outcome(each.returned) for each in replaying.probe()}
    assert results["k = 1"] == [2.0]


def test_keeping_a_call_keeps_no_object_alive(tf: Any) -> None:
    """TensorFlow traces again where an object of an earlier call is gone: that must stay so."""

    class Config:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Config)

        def __hash__(self) -> int:
            return 1

    @tf.function
    def step(config: Config, k: int) -> Any:
        return tf.constant(k)

    with replay(probe=(name_of("step"),)) as replaying:
        for _ in range(3):
            step(Config(), 2)
            gc.collect()
        assert [returned.traces for returned in replaying.result().returned] == [1, 1, 1]
        assert list(replaying.probe()) == []
        config = Config()
        step(config, 2)
        assert "k = 3" in changes(list(replaying.probe()))


def test_iterators_are_left_alone(tf: Any) -> None:
    @tf.function
    def step(iterator: Any, k: int) -> Any:
        return next(iterator) * k

    with replay(probe=(name_of("step"),)) as replaying:
        iterator = iter(tf.data.Dataset.range(5))
        step(iterator, 2)
        assert list(replaying.probe()) == []
        assert int(next(iterator)) == 1


def test_methods_are_probed_on_their_object(tf: Any) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(2.0)

        @tf.function
        def step(self, k: int) -> Any:
            return self.weight * k

    with replay(probe=(name_of("Model.step"),)) as replaying:
        model = Model()
        model.step(3)
        model.step(3)
        results = {each.change: outcome(each.returned) for each in replaying.probe()}
    assert results["k = 33"] == [66.0]
