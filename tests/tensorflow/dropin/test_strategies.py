"""Under distribution strategies, and on several devices, it does what `tf.function` does."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, alike, thrice

STRATEGIES: dict[str, Callable[[Any], Any]] = {
    "one device": lambda tf: tf.distribute.OneDeviceStrategy("CPU:0"),
    "mirrored": lambda tf: tf.distribute.MirroredStrategy(["CPU:0"]),
    "default": lambda tf: tf.distribute.get_strategy(),
}


@pytest.mark.parametrize("kind", STRATEGIES)
def test_a_strategy(tf: Any, kind: str) -> None:
    """In its scope and outside, through `run` eagerly and inside a function, before and after each other."""

    def program(function: Maker) -> Any:
        strategy = STRATEGIES[kind](tf)
        with strategy.scope():
            weight = tf.Variable(2.0)

        @function
        def step(x: Any, k: float) -> Any:
            context = tf.distribute.get_replica_context()
            weight.assign_add(1.0)
            return x * weight * k + (0.0 if context is None else context.num_replicas_in_sync)

        @tf.function
        def train(x: Any) -> Any:
            return strategy.run(step, args=(x, 2.0))

        def in_scope(x: Any) -> Any:
            with strategy.scope():
                return step(x, 2.0)

        answers = []
        for size in (1, 2, 3):
            x = tf.ones([size])
            answers += [thrice(strategy.run, step, args=(x, k)) for k in (2.0, 3.0, 4.0)]
            answers += [thrice(step, x, 2.0), thrice(in_scope, x), thrice(train, x), thrice(step, x, 3.0)]
        return answers, weight.numpy()

    alike(tf, program)


def test_a_strategy_clones_the_function_with_its_options(tf: Any) -> None:
    """`strategy.run` calls a copy of the function; one that forgot the limit would run away."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    step = traceonce.function(lambda x: x + 1.0, limit=1, relax=False)
    for size in (1, 2, 1, 2):
        strategy.run(step, args=(tf.ones([size]),))
    with pytest.raises(traceonce.TracingLimitReached):
        strategy.run(step, args=(tf.ones([3]),))


def test_two_replicas_and_two_devices() -> None:
    """Needs logical devices, which must be set before TensorFlow starts: so in a program of its own."""
    program = """
        import os
        os.environ["TF_CPP_MIN_LOG_LEVEL"], os.environ["CUDA_VISIBLE_DEVICES"] = "3", ""
        import tensorflow as tf
        import traceonce
        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)

        def program(function):
            strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
            with strategy.scope():
                weight = tf.Variable(2.0, aggregation=tf.VariableAggregation.SUM)
            given = strategy.experimental_distribute_values_from_function(
                lambda context: tf.constant(float(context.replica_id_in_sync_group + 1)))

            @function
            def step(x, k):
                weight.assign_add(x)
                replica = tf.distribute.get_replica_context()
                return x * k + replica.all_reduce("sum", x), tf.cast(replica.replica_id_in_sync_group, tf.float32)

            outer = tf.function(lambda x: strategy.run(step, args=(x, 2.0)))
            answers = []
            for call in (lambda: strategy.run(step, args=(given, 2.0)), lambda: outer(given)) * 3:
                answers += [float(t) for part in call() for t in strategy.experimental_local_results(part)]
            answers.append(float(weight.numpy()))

            place = function(lambda x: x + 1.0)
            for device in ("CPU:0", "CPU:1", "CPU:0", "CPU:1"):
                with tf.device(device):
                    answers += [place(tf.constant(1.0)).device[-5:], place(tf.constant(2.0)).backing_device[-5:]]
            return answers

        theirs, ours = program(tf.function), program(traceonce.function)
        assert ours == theirs, (ours, theirs)
        print("the same", len(ours))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=100, check=False
    )
    assert run.stdout == "the same 33\n", run.stderr[-3000:]
    assert "Exception ignored" not in run.stderr  # a strategy keeps functions until the interpreter is torn down
