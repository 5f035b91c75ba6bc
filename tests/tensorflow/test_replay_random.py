"""Random numbers in a replay: they depend on how many were drawn before, not on traces nor on running eagerly."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tensorflow.replayed import arrays, replay

DRAWS: dict[str, Callable[[Any, Any], Any]] = {
    "normal": lambda tf, x: tf.random.normal(tf.shape(x)),
    "normal half": lambda tf, x: tf.random.normal(tf.shape(x), dtype=tf.float16),
    "uniform": lambda tf, x: tf.random.uniform(tf.shape(x), -2.0, 3.0),
    "uniform int": lambda tf, x: tf.random.uniform(tf.shape(x), 0, 1000, tf.int32),
    "truncated": lambda tf, x: tf.random.truncated_normal(tf.shape(x)),
    "shuffle": lambda tf, x: tf.random.shuffle(tf.range(tf.size(x))),
    "dropout": lambda tf, x: tf.nn.dropout(x, 0.5),
    "categorical": lambda tf, x: tf.random.categorical(tf.zeros([3, 50]), 4),
    "categorical int32": lambda tf, x: tf.random.categorical(tf.zeros([3, 50]), 4, dtype=tf.int32),
    "gamma": lambda tf, x: tf.random.gamma(tf.shape(x), [0.5, 1.5], beta=2.0),
    "poisson": lambda tf, x: tf.random.poisson(tf.shape(x), [10.0, 30.0]),
    "seeded": lambda tf, x: tf.random.normal(tf.shape(x), seed=3),
    "loop": lambda tf, x: tf.while_loop(
        lambda i, total: i < 3, lambda i, total: (i + 1, total + tf.random.normal(tf.shape(x))), (0, x)
    )[1],
    "branch": lambda tf, x: tf.cond(tf.size(x) > 0, lambda: tf.random.normal(tf.shape(x)), lambda: x),
    "image": lambda tf, x: tf.image.random_crop(tf.reshape(tf.range(48), [4, 4, 3]), [2, 2, 3]),
}
WIDTHS = (10, 12, 14, 10)


def draw(tf: Any, body: Any, *, eager: bool = False, **options: Any) -> list[list[Any]]:
    """The results of one function over several shapes; with eager draws in between, which are its own business."""
    step = tf.function(lambda x: body(tf, x), autograph=False, **options)
    with replay(eager=eager) as replaying:
        around = [tf.random.normal([2]).numpy() for width in WIDTHS if step(tf.ones([width])) is not None]
        result = replaying.result()
    return [*([array.tolist() for array in arrays(each)] for each in result.returned), np.array(around).tolist()]


@pytest.mark.parametrize("name", DRAWS)
def test_traces_do_not_decide_what_is_drawn(tf: Any, name: str) -> None:
    retraced = draw(tf, DRAWS[name])
    traced_once = draw(tf, DRAWS[name], input_signature=[tf.TensorSpec([None])])
    eagerly = draw(tf, DRAWS[name], eager=True)
    assert retraced == traced_once == eagerly
    assert retraced[0] != retraced[3], "the same numbers again"


@pytest.mark.parametrize("name", ["normal", "uniform int", "truncated", "shuffle", "dropout", "categorical", "loop"])
def test_compiled_functions_draw_the_same(tf: Any, name: str) -> None:
    def fixed(tf: Any, x: Any) -> Any:
        return DRAWS[name](tf, tf.ones([8]))  # XLA wants to know the size

    compiled, plain = draw(tf, fixed, jit_compile=True), draw(tf, fixed)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_distributions_are_those_of_tensorflow(tf: Any) -> None:
    @tf.function
    def step() -> Any:
        return (
            tf.random.normal([20_000], 3.0, 2.0),
            tf.random.uniform([20_000], 5, 10, tf.int64),
            tf.random.categorical(tf.math.log([[0.1, 0.2, 0.7]]), 20_000),
            tf.random.gamma([20_000], 2.0),
            tf.random.poisson([20_000], 4.0),
            tf.random.shuffle(tf.range(1000)),
        )

    with replay() as replaying:
        step()
        normal, integers, classes, gamma, poisson, shuffled = arrays(replaying.result().returned[0])
    assert normal.mean() == pytest.approx(3.0, abs=0.1)
    assert normal.std() == pytest.approx(2.0, abs=0.1)
    assert set(integers.tolist()) == {5, 6, 7, 8, 9}
    assert (np.bincount(classes[0]) / 20_000).tolist() == pytest.approx([0.1, 0.2, 0.7], abs=0.02)
    assert gamma.mean() == pytest.approx(2.0, abs=0.1)
    assert poisson.mean() == pytest.approx(4.0, abs=0.1)
    assert sorted(shuffled.tolist()) == list(range(1000))
    assert shuffled.tolist() != list(range(1000))


def test_gradients_are_unaffected(tf: Any) -> None:
    alpha, x = tf.Variable(2.0), tf.Variable([1.0, 2.0])

    def gradients() -> list[Any]:
        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                noise = tf.random.normal([2])
                total = x
                for _ in tf.range(3):
                    total = total * tf.nn.dropout(tf.ones([2]), 1e-6) + 0.0 * noise
                loss = tf.reduce_sum(total) + tf.reduce_sum(tf.random.gamma([3], alpha))
            watched = [variable.name for variable in tape.watched_variables()]
            return [*tape.gradient(loss, [x, alpha]), tf.constant(watched)]

        return list(step())

    plain = gradients()
    with replay():
        ours = gradients()
    np.testing.assert_allclose(ours[0], plain[0], rtol=1e-4)
    assert np.isfinite(ours[1])
    assert ours[2].numpy().tolist() == plain[2].numpy().tolist()


def test_a_shuffle_has_no_gradient(tf: Any) -> None:
    def gradient() -> Any:
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            shuffled = tf.function(lambda: tf.random.shuffle(x))()
        return tape.gradient(shuffled, x)

    with replay():
        assert gradient() is None
    assert gradient() is None


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}])
def test_variables_made_inside_with_random_values(tf: Any, options: dict[str, Any]) -> None:
    def values(*, eager: bool) -> list[Any]:
        class Lazy(tf.Module):
            weights: Any = None

            @tf.function(**options)
            def step(self, x: Any) -> Any:
                if self.weights is None:
                    self.weights = tf.Variable(tf.random.normal([3]))
                return x * self.weights + tf.random.normal([3])

        with replay(eager=eager) as replaying:
            lazy = Lazy()
            lazy.step(tf.ones([3]))
            lazy.step(tf.ones([1]))
            return [each for returned in replaying.result().returned for each in arrays(returned)]

    for traced, eagerly in zip(values(eager=False), values(eager=True), strict=True):
        np.testing.assert_allclose(traced, eagerly, rtol=1e-5)


def test_datasets_draw_as_tensorflow_does(tf: Any) -> None:
    """They run ahead in threads: with one counter for all, chance would decide who draws what."""

    def drawn() -> list[Any]:
        tf.random.set_seed(5)
        dataset = tf.data.Dataset.range(4).map(lambda i: tf.random.normal([2])).prefetch(2)
        return [each.tolist() for each in dataset.as_numpy_iterator()]

    plain = drawn()
    with replay():
        assert drawn() == plain
    tf.random.set_seed(None)


def test_vectorized_maps_still_run(tf: Any) -> None:
    drawn = []
    with pytest.raises(AssertionError, match="RandomStandardNormal, which restarts"), replay():
        drawn.append(tf.vectorized_map(lambda x: x + tf.random.normal([2]), tf.zeros([3, 2])))
    assert drawn[0].shape == [3, 2]


def test_a_model_with_random_operations_can_be_saved(tf: Any, tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def call(self, x: Any) -> Any:
            return x + tf.random.normal(tf.shape(x))

    with replay():
        model = Model()
        model.call(tf.ones([2]))
        tf.saved_model.save(model, str(tmp_path / "model"))
        loaded = tf.saved_model.load(str(tmp_path / "model"))
        assert loaded.call(tf.ones([3])).shape == [3]
        assert model._trackable_children() == Model()._trackable_children()


def test_what_cannot_be_replaced_is_said(tf: Any) -> None:
    @tf.function
    def step() -> Any:
        return tf.random.log_uniform_candidate_sampler([[1]], 1, 2, True, 10)

    with pytest.raises(AssertionError, match="LogUniformCandidateSampler, which restarts"), replay():
        step()


def test_generators_without_a_seed_get_one(tf: Any) -> None:
    def drawn() -> list[Any]:
        with replay():
            return [
                random.random(),
                np.random.rand(),
                np.random.default_rng().random(),
                np.random.default_rng().random(),
                np.random.default_rng(5).random(),
                float(tf.random.Generator.from_non_deterministic_state().normal([])),
                float(tf.random.normal([])),
                float(tf.function(lambda: tf.random.normal([]))()),
            ]

    numbers = drawn()
    random.seed(99)
    np.random.seed(99)
    assert drawn() == numbers
    assert len(set(numbers)) == len(numbers)
    assert np.random.default_rng(5).random() == numbers[4]


PROGRAM = """
    import sys
    import tensorflow as tf
    from traceonce.frameworks.tensorflow import TensorFlow
    from traceonce.facts.replay import ReplaySettings

    replaying = TensorFlow().replay(ReplaySettings(), lambda: None)
    tf.config.threading.set_inter_op_parallelism_threads(2)  # refused once the context has been made
    generator = tf.random.Generator.from_non_deterministic_state()  # refused where determinism is wanted
    tf.random.get_global_generator()

    @tf.function
    def step(x):
        return tf.random.normal(tf.shape(x)) + generator.normal(tf.shape(x)) + tf.random.uniform([])

    numbers = tf.data.Dataset.range(64)
    dataset = numbers.map(lambda i: tf.random.normal([]) + tf.cast(i, tf.float32), num_parallel_calls=4)
    total = sum(float(tf.reduce_sum(step(tf.ones([width])))) for width in (2, 3, 4))
    print(total, float(sum(dataset.shuffle(8).take(5))), tf.random.normal([]).numpy())
    print(replaying.result().problems)
"""


def test_whole_programs_repeat_themselves() -> None:
    """In processes of their own: determinism, which stays, is on."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2)]
    assert outputs[0].returncode == 0, outputs[0].stderr
    assert outputs[0].stdout.endswith("\n()\n"), outputs[0].stdout
    assert outputs[0].stdout == outputs[1].stdout
