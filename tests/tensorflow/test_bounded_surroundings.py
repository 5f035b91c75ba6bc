"""Whatever `traceonce.function` is put into, it does there what `tf.function` does."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.limited import THREADS, at_once
from tests.tensorflow.paired import Maker, Raised, alike, outcome, plain, thrice


def dense(tf: Any, function: Maker) -> Any:
    """A layer whose `call` is a function that has a Python number and a flag."""

    class Dense(tf.keras.layers.Layer):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.units = units

        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="ones")

        @function
        def call(self, x: Any, training: bool = False, scale: float = 0.5) -> Any:
            return x @ self.kernel * scale + (1.0 if training else 0.0)

    return Dense


def test_a_keras_layer(tf: Any) -> None:
    """Called by itself, with varying rows and flags."""

    def program(function: Maker) -> Any:
        layer = dense(tf, function)(2)
        calls = [(rows, flag) for rows in (1, 2, 3) for flag in (False, True)]
        return [thrice(layer, tf.ones([rows, 3]), training=flag) for rows, flag in calls], layer.weights

    alike(tf, program)


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_keras_model_that_is_fitted(tf: Any, eagerly: bool) -> None:
    """Losses, weights, evaluations and predictions of a model whose layer is such a function."""

    def program(function: Maker) -> Any:
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Input([3]), dense(tf, function)(2), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse", run_eagerly=eagerly)
        x, y = np.arange(15, dtype=np.float32).reshape(5, 3) / 15, np.ones([5, 1], np.float32)
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0, shuffle=False).history
        answers = [model.evaluate(x, y, verbose=0), model.predict(x, verbose=0), model(x), model.get_weights()]
        return history, answers

    alike(tf, program)


def test_a_keras_model_with_its_own_train_step(tf: Any) -> None:
    """Keras puts a tf.function around it; and it works alone, too."""

    def program(function: Maker) -> Any:
        class Model(tf.keras.Model):
            def __init__(self) -> None:
                super().__init__()
                self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

            def call(self, x: Any) -> Any:
                return self.dense(x)

            @function
            def train_step(self, data: Any) -> Any:
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
                weights = self.trainable_variables
                self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
                return {"loss": loss}

        model = Model()
        model.compile(tf.keras.optimizers.SGD(0.1))
        x, y = np.ones([5, 3], np.float32), np.zeros([5, 1], np.float32)
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0).history
        alone = [thrice(model.train_step, (tf.ones([rows, 3]), tf.zeros([rows, 1]))) for rows in (1, 2, 3)]
        return history, alone, model.get_weights()

    alike(tf, program)


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


def test_inside_other_functions(tf: Any) -> None:
    """Of either kind, around either kind, and around itself; the inner one is inlined with its variables."""

    def program(function: Maker) -> Any:
        total = tf.Variable(0.0)

        @function
        def inner(x: Any, k: float) -> Any:
            total.assign_add(tf.reduce_sum(x))
            return x * k

        answers = []
        for kind in (tf.function, function, functools.partial(function, autograph=False)):
            outer = kind(lambda x, k: inner(inner(x, k), 3.0) + inner(x, 2.0))
            answers += [thrice(outer, tf.ones([size]), k) for size in (1, 2, 3) for k in (1.0, 2.0, 3.0)]
            answers += [thrice(inner, tf.ones([2]), 3.0), total.numpy()]
        return answers

    alike(tf, program)


def test_a_function_that_calls_itself(tf: Any) -> None:
    """A Python number that decides when to stop cannot be a tensor."""

    def program(function: Maker) -> Any:
        @function
        def power(x: Any, times: int) -> Any:
            return tf.ones_like(x) if times == 0 else x * power(x, times - 1)

        return [thrice(power, tf.constant(2.0), times) for times in (0, 1, 2, 5, 3)]

    alike(tf, program)


def test_a_function_as_an_argument(tf: Any) -> None:
    """Known by identity: another one is another trace."""

    def program(function: Maker) -> Any:
        functions = [function(lambda x: x + 1.0), function(lambda x: x * 5.0)]
        apply = function(lambda step, x: step(x))
        return [thrice(apply, step, tf.constant(2.0)) for step in [*functions, *functions]]

    alike(tf, program)


def test_inside_a_loop_and_a_branch(tf: Any) -> None:
    """Of a tf.while_loop, tf.cond, tf.map_fn and tf.vectorized_map."""

    def program(function: Maker) -> Any:
        step = function(lambda x: x * 2.0 + 1.0)
        x = tf.constant([1.0, 2.0, 3.0])
        return [
            thrice(tf.while_loop, lambda i: tf.reduce_sum(i) < 50.0, lambda i: (step(i),), (x,)),
            thrice(tf.cond, tf.constant(True), lambda: step(x), lambda: x),
            thrice(tf.map_fn, step, x),
            thrice(tf.vectorized_map, step, x),
            thrice(tf.scan, lambda total, part: total + step(part), x),
            thrice(tf.numpy_function, lambda a: step(a).numpy(), [x], tf.float32),
            thrice(tf.py_function, step, [x], tf.float32),
        ]

    alike(tf, program)


def test_inside_tf_data(tf: Any) -> None:
    """As the function of map, filter, reduce and flat_map, in parallel, and called from another one."""

    def program(function: Maker) -> Any:
        step = function(lambda x: x * 2)
        even = function(lambda x: x % 4 == 0)
        add = function(lambda a, b: a + b)
        numbers = tf.data.Dataset.range(6)
        datasets = [
            numbers.map(step),
            numbers.map(step, num_parallel_calls=2),
            numbers.map(lambda x: step(x) + 1),
            numbers.map(step).filter(even),
            numbers.batch(4).map(step),
            numbers.flat_map(function(lambda x: tf.data.Dataset.from_tensors(step(x)))),
        ]
        eager = [[step(x) for x in dataset] for dataset in datasets]
        return [[plain(x) for x in dataset] for dataset in datasets], eager, numbers.reduce(np.int64(0), add)

    alike(tf, program)


def test_in_graph_mode(tf: Any) -> None:
    """In a graph of TensorFlow 1, with a session; and eagerly before and after."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k: tf.reduce_sum(x) * k)
        answers = [thrice(step, tf.ones([2]), 3.0)]
        for _ in range(2):
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                x = tf.compat.v1.placeholder(tf.float32, [None])
                results = [step(x, 3.0), step(x, 4.0), step(tf.ones([5]), 3.0)]
                answers += [session.run(results, {x: [1.0] * size}) for size in (1, 2, 3)]
                answers.append([type(result).__name__ for result in results])
        answers.append(thrice(step, tf.ones([2]), 3.0))
        return answers

    alike(tf, program)


def test_in_a_wrapped_function_of_tensorflow_1(tf: Any) -> None:
    """And in an init scope."""

    def program(function: Maker) -> Any:
        step = function(lambda x: x + 1.0)
        wrapped = tf.compat.v1.wrap_function(lambda x: step(x) * 2.0, [tf.TensorSpec([])])

        @tf.function
        def lifted(x: Any) -> Any:
            with tf.init_scope():
                outside = [step(tf.constant(float(k))) for k in range(3)]
            return x + outside[2]

        return thrice(wrapped, tf.constant(1.0)), thrice(lifted, tf.constant(1.0)), thrice(step, tf.constant(1.0))

    alike(tf, program)


def test_threads_that_bring_shapes(tf: Any) -> None:
    """Eight at once, all with shapes that the others bring, too."""
    step = traceonce.function(lambda x: tf.reduce_sum(x))
    errors: list[float] = []

    def work(number: int) -> None:
        errors.extend(float(step(tf.ones([size + number]))) - size - number for size in range(1, 30))

    assert at_once(work) == []
    assert errors == [0.0] * 29 * THREADS
    assert traceonce.stats(step).traces <= THREADS + 2


def test_threads_that_bring_numbers(tf: Any) -> None:
    """Whichever of them finds out that the number can be a tensor."""
    step = traceonce.function(lambda x, k: x * k)
    errors: list[float] = []

    def work(number: int) -> None:
        errors.extend(float(step(tf.constant(2.0), float(k))) - 2.0 * k for k in range(number, number + 20))

    assert at_once(work) == []
    assert errors == [0.0] * 20 * THREADS
    assert traceonce.stats(step).traces <= THREADS + 3  # each thread may be about to trace its own when one finds out


def test_threads_that_count_in_a_variable(tf: Any) -> None:
    """No call is lost, none is done twice. (The first call is made alone: TensorFlow's own may fail in threads.)"""
    made: list[Any] = []

    @traceonce.function
    def count(k: Any) -> Any:
        if not made:
            made.append(tf.Variable(0))
        return made[0].assign_add(k)

    count(tf.constant(1))
    assert at_once(lambda number: [count(tf.constant(1)) for _ in range(50)]) == []
    assert len(made) == 1
    assert int(made[0]) == 1 + 50 * THREADS


def test_threads_while_traces_are_evicted(tf: Any) -> None:
    """A trace may go while another thread is about to run it."""
    step = traceonce.function(lambda x: tf.reduce_sum(x) * 2.0, keep=2, limit=None, relax=False)
    wrong: list[int] = []

    def work(number: int) -> None:
        for k in range(10):
            size = 1 + (k + number) % 5
            if float(step(tf.ones([size]))) != 2.0 * size:
                wrong.append(size)

    assert at_once(work) == []
    assert wrong == []
    assert traceonce.stats(step).kept <= 2


def test_threads_have_their_own_tapes(tf: Any) -> None:
    """A tape in one thread says nothing about the calls in another."""
    step = traceonce.function(lambda x: x * x)
    for _ in range(3):
        step(tf.constant(1.0))
    gradients: list[float | None] = []

    def work(number: int) -> None:
        x = tf.constant(float(number))
        for _ in range(10):
            if number % 2:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = step(x)
                gradients.append(float(tape.gradient(y, x)) - 2.0 * number)
            else:
                gradients.append(float(step(x)) - number * number)

    at_once(work)
    assert gradients == [0.0] * 10 * THREADS


def test_threads_with_methods_of_objects_that_die(tf: Any) -> None:
    """Objects come and go in every thread."""

    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @traceonce.function
        def step(self, x: Any) -> Any:
            return x * self.factor

    errors: list[float] = []

    def work(number: int) -> None:
        for k in range(5):
            model = Model(float(10 * number + k))
            errors.extend(float(model.step(tf.constant(1.0))) - model.factor for _ in range(3))

    at_once(work)
    assert errors == [0.0] * 15 * THREADS


def a_model(tf: Any, function: Maker) -> Any:
    """Two methods: one with a default number, one whose shape varies."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(2.0)

        @function
        def __call__(self, x: Any, k: float = 2.0) -> Any:
            return x * self.weight * k

        @function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def signed(self, x: Any) -> Any:
            return tf.reduce_sum(x) + self.weight.assign_add(1.0)

    return Model()


USES: dict[str, Callable[[Any, Any], Any]] = {
    "one call": lambda tf, model: [model(tf.ones([3]))],
    "hits": lambda tf, model: [model(tf.ones([3])) for _ in range(3)],
    "shapes": lambda tf, model: [model(tf.ones([size])) for size in (3, 4, 5)],
    "numbers": lambda tf, model: [model(tf.ones([3]), k) for k in (2.0, 3.0, 4.0, 5.0)],
    "default, then numbers": lambda tf, model: [
        model(tf.ones([3])),
        *(model(tf.ones([3]), k) for k in (3.0, 4.0, 5.0)),
    ],
    "both": lambda tf, model: [model(tf.ones([size]), k) for size in (3, 4, 5) for k in (2.0, 3.0, 4.0)],
}


@pytest.mark.parametrize("use", USES)
def test_a_saved_model(tf: Any, tmp_path: Path, use: str) -> None:
    """After the same calls, what tf.function's reloaded model can answer, ours can, though it lifted and relaxed."""
    tried = [(3,), (4,), (5,), (3, 2.0), (3, 3.0), (4, 3.0), (4, 4.0)]
    answers: dict[bool, list[Any]] = {}
    for ours in (False, True):
        model = a_model(tf, traceonce.function if ours else tf.function)
        USES[use](tf, model)
        model.signed(tf.ones([2]))
        tf.saved_model.save(model, str(tmp_path / str(ours)))
        loaded = tf.saved_model.load(str(tmp_path / str(ours)))
        answers[ours] = [outcome(loaded, tf.ones([size]), *k) for size, *k in tried]
        assert thrice(loaded.signed, tf.ones([2])) == thrice(model.signed, tf.ones([2]))
        assert plain(loaded.weight) == plain(model.weight)
    for call, theirs, own in zip(tried, answers[False], answers[True], strict=True):
        cannot = isinstance(theirs, Raised) and "Could not find matching concrete function" in theirs.text
        assert own == theirs or cannot, call


def test_a_saved_model_with_signatures(tf: Any, tmp_path: Path) -> None:
    """Given as a function, as a method, and as what `get_concrete_function` gives."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        model(tf.ones([2]))
        free = function(lambda x: {"y": x * 3.0}, input_signature=[tf.TensorSpec([None], name="x")])
        model.free = free
        spec = tf.TensorSpec([None], tf.float32, name="x")
        signatures = {"a": model.__call__.get_concrete_function(spec), "b": model.signed, "c": free}
        path = str(tmp_path / str(function is tf.function))
        tf.saved_model.save(model, path, signatures=signatures)
        loaded = tf.saved_model.load(path)
        answers = [thrice(signature, x=tf.ones([3])) for _, signature in sorted(loaded.signatures.items())]
        return answers, sorted(loaded.signatures), [str(loaded.signatures[n].structured_outputs) for n in "abc"]

    alike(tf, program)


def test_calls_go_on_after_saving(tf: Any, tmp_path: Path) -> None:
    """Saving traces again in a context of its own: those traces are not for calls."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        answers = [thrice(model, tf.ones([size]), k) for size in (1, 2) for k in (2.0, 3.0)]
        tf.saved_model.save(model, str(tmp_path / str(function is tf.function)))
        answers += [thrice(model, tf.ones([size]), k) for size in (1, 2, 3) for k in (2.0, 3.0, 4.0)]
        model.weight.assign(5.0)
        return [*answers, thrice(model, tf.ones([1]))]

    alike(tf, program)


def test_a_loaded_function_in_ours(tf: Any, tmp_path: Path) -> None:
    """A reloaded model is called from a function, and is wrapped as one."""

    def program(function: Maker) -> Any:
        model = a_model(tf, function)
        model(tf.ones([2]))
        path = str(tmp_path / str(function is tf.function))
        tf.saved_model.save(model, path)
        loaded = tf.saved_model.load(path)
        around, wrapped = function(lambda x: loaded(x) + 1.0), function(loaded.__call__)
        return thrice(around, tf.ones([2])), thrice(wrapped, tf.ones([2])), thrice(loaded.signed, tf.ones([2]))

    alike(tf, program)


def test_a_checkpoint(tf: Any, tmp_path: Path) -> None:
    """A model is restored under a function that has been traced, and before its variables are created."""

    def program(function: Maker) -> Any:
        class Late(tf.Module):
            weight = None

            @function
            def __call__(self, x: Any) -> Any:
                if self.weight is None:
                    self.weight = tf.Variable(3.0)
                return self.weight.assign_add(x)

        model = Late()
        answers = [thrice(model, tf.constant(1.0))]
        prefix = tf.train.Checkpoint(model=model).save(str(tmp_path / f"{function is tf.function}"))
        answers.append(thrice(model, tf.constant(10.0)))
        tf.train.Checkpoint(model=model).restore(prefix).assert_consumed()
        answers.append(thrice(model, tf.constant(1.0)))
        fresh = Late()
        status = tf.train.Checkpoint(model=fresh).restore(prefix)
        answers.append(thrice(fresh, tf.constant(1.0)))
        status.assert_consumed()
        return answers

    alike(tf, program)


CAPTURES: dict[str, Callable[[Any, list[Any]], Any]] = {
    "by reference": lambda tf, box: tf.compat.v1.get_default_graph()._experimental_capture_side_input_by_ref(
        "box", lambda: box[0]
    ),
    "deferred": lambda tf, box: tf.compat.v1.get_default_graph().capture_call_time_value(
        lambda: tf.convert_to_tensor(box[0]), tf.TensorSpec(None)
    ),
    "by value": lambda tf, box: tf.convert_to_tensor(box[0]),
}


@pytest.mark.parametrize("capture", CAPTURES)
def test_captures(tf: Any, capture: str) -> None:
    """What is read at each call is read at each call, of whatever shape; what is captured once stays."""

    def program(function: Maker) -> Any:
        box: list[Any] = [None]

        @function
        def step(x: Any, k: float) -> Any:
            return x + CAPTURES[capture](tf, box) * k

        answers = []
        for value in (tf.constant(1.0), tf.constant(2.0), tf.constant([1.0, 2.0]), 4.0, 5.0, tf.constant([1.0, 2.0])):
            box[0] = value
            answers += [thrice(step, tf.constant(1.0), k) for k in (1.0, 2.0, 3.0)]
        return answers

    alike(tf, program)


def test_captures_of_an_inner_function(tf: Any) -> None:
    """They are the outer one's captures, too."""

    def program(function: Maker) -> Any:
        box = [tf.constant(1.0)]
        inner = function(lambda x: x + CAPTURES["deferred"](tf, box))
        outer = function(lambda x: inner(x) * 2.0)
        answers = []
        for value in (1.0, 2.0, 3.0):
            box[0] = tf.constant(value)
            answers += [thrice(outer, tf.constant(1.0)), thrice(inner, tf.constant(1.0))]
        return answers

    alike(tf, program)


def test_captured_variables_and_rebinding(tf: Any) -> None:
    """A variable's value is always fresh; a name bound to another variable is not looked up again."""

    def program(function: Maker) -> Any:
        box = [tf.Variable(1.0)]
        step = function(lambda x: x + box[0])
        answers = [thrice(step, tf.constant(1.0))]
        box[0].assign(5.0)
        answers.append(thrice(step, tf.constant(1.0)))
        first = box[0]
        box[0] = tf.Variable(100.0)
        answers += [thrice(step, tf.constant(1.0)), thrice(step, tf.constant([1.0])), plain(first)]
        return answers

    alike(tf, program)


def test_side_effects_happen_once_and_in_order(tf: Any) -> None:
    """Also where nothing is returned, or where what is returned does not need them."""

    def program(function: Maker) -> Any:
        log = tf.Variable(tf.zeros([0]), shape=[None])
        host: list[float] = []

        def note(x: Any) -> None:
            log.assign(tf.concat([log, x[None]], 0))
            tf.numpy_function(lambda value: host.append(float(value)), [x], [])

        @function
        def step(x: Any, k: float) -> None:
            note(x)
            note(x * k)
            note(-x)

        returns = [thrice(step, tf.constant(x), k) for x in (1.0, 2.0) for k in (10.0, 20.0, 30.0)]
        return returns, log, host

    alike(tf, program)


def test_random_numbers_are_drawn_anew(tf: Any) -> None:
    """With a generator as state, the sequence is that of tf.function, call by call."""

    def program(function: Maker) -> Any:
        generator = tf.random.Generator.from_seed(7)
        step = function(lambda size: generator.uniform([size]))
        return [thrice(step, tf.constant(size)) for size in (1, 2, 3)], generator.state

    alike(tf, program)


def test_outputs_are_not_inputs(tf: Any) -> None:
    """What comes out is what TensorFlow makes of it: an argument, a variable, None, nests, composites, a refusal."""

    def program(function: Maker) -> Any:
        variable = tf.Variable(2.0)
        bodies: list[Callable[[Any], Any]] = [
            lambda x: x,
            lambda x: (x, [x, {"b": x, "a": None}]),
            lambda x: variable,
            lambda x: (variable.handle, x)[1],
            lambda x: None,
            lambda x: [],
            lambda x: 5,
            lambda x: (x,),
            lambda x: tf.data.Dataset.from_tensors(x).map(lambda y: y + 1.0).get_single_element(),
            lambda x: tf.RaggedTensor.from_row_lengths(x[None], [1]),
            lambda x: tf.sparse.from_dense(x[None]),
            lambda x: tf.TensorArray(tf.float32, 1).write(0, x).stack(),
            lambda x: "text",
        ]
        return [thrice(function(body), tf.constant(1.0)) for body in bodies]

    alike(tf, program)


def test_handles_as_outputs(tf: Any) -> None:
    """A resource that comes out of a hit still knows what it is a handle of."""

    def program(function: Maker) -> Any:
        variable = tf.Variable([1.0, 2.0])
        handle = function(lambda: variable.handle)
        dataset = function(lambda: tf.data.Dataset.range(3))

        def read() -> Any:
            given = handle()
            value = tf.raw_ops.ReadVariableOp(resource=given, dtype=tf.float32)
            return value, [str(part.shape) for part in given._handle_data.shape_and_type], list(dataset())

        return thrice(read)

    alike(tf, program)


def test_device_scopes(tf: Any) -> None:
    """Eager and in the body; what comes out says where it is."""

    def program(function: Maker) -> Any:
        step = function(lambda x: x * 2.0)

        def placed(device: str | None) -> Any:
            with tf.device(device):
                result = step(tf.constant(2.0))
            return result, result.device, result.backing_device

        return [thrice(placed, device) for device in (None, "CPU:0", "/job:localhost/device:CPU:0", "CPU:7", None)]

    alike(tf, program)


def test_op_callbacks(tf: Any) -> None:
    """They see a hit as they see any operation, also where they come after the function is warm."""

    def program(function: Maker) -> Any:
        from tensorflow.python.framework import op_callbacks

        step = function(lambda x: x / x)
        answers = [thrice(step, tf.constant(0.0))]
        seen: list[str] = []

        def callback(
            kind: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
        ) -> None:
            seen.append(kind if isinstance(kind, str) and not kind.startswith("__inference") else "the function")

        op_callbacks.add_op_callback(callback)
        try:
            answers.append(thrice(step, tf.constant(1.0)))
        finally:
            op_callbacks.remove_op_callback(callback)
        tf.debugging.enable_check_numerics()
        try:
            answers.append(thrice(step, tf.constant(0.0)))
        finally:
            tf.debugging.disable_check_numerics()
        return (
            answers[:2],
            [answer.kind for answer in answers[2]],
            seen,
            thrice(step, tf.constant(0.0)),
        )

    alike(tf, program)


def test_a_cancelled_call(tf: Any) -> None:
    """A manager that has been cancelled stops a call that would be a hit."""

    def program(function: Maker) -> Any:
        from tensorflow.python.eager import cancellation

        step = function(lambda x: x + 1.0)
        thrice(step, tf.constant(1.0))
        manager = cancellation.CancellationManager()

        def managed() -> Any:
            with cancellation.CancellationManagerContext(manager):
                return step(tf.constant(1.0))

        before = thrice(managed)
        manager.start_cancel()
        return before, thrice(managed), thrice(step, tf.constant(1.0))

    alike(tf, program)


def test_a_cancelled_call_that_waits(tf: Any) -> None:
    """A hit that blocks in an operation is let go when the manager is cancelled."""

    def program(function: Maker) -> Any:
        from tensorflow.python.eager import cancellation

        queue = tf.queue.FIFOQueue(4, [tf.float32], [[]])
        take = function(queue.dequeue)
        queue.enqueue_many([tf.constant([1.0, 2.0, 3.0])])
        before = thrice(take)
        manager = cancellation.CancellationManager()
        canceller = threading.Timer(0.1, manager.start_cancel)
        rescue = threading.Timer(20, queue.enqueue, [4.0])  # a call that is not let go fails the test, not hangs it
        canceller.start()
        rescue.start()

        def managed() -> Any:
            with cancellation.CancellationManagerContext(manager):
                return take()

        after = outcome(managed)
        rescue.cancel()
        canceller.join()
        return before, isinstance(after, Raised) and after.kind

    alike(tf, program)


def test_a_profile(tf: Any, tmp_path: Path) -> None:
    """Each call is an event of the trace, with what TensorFlow says about it."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    def program(function: Maker) -> Any:
        @function(autograph=False)
        def profiled(x: Any) -> Any:
            return x + 1.0

        thrice(profiled, tf.constant(1.0))
        log = tmp_path / str(function is tf.function)
        tf.profiler.experimental.start(str(log))
        thrice(profiled, tf.constant(1.0))
        thrice(profiled, tf.constant([1.0]))
        tf.profiler.experimental.stop()
        (path,) = log.rglob("*.xplane.pb")
        events = []
        for plane in xplane_pb2.XSpace.FromString(path.read_bytes()).planes:
            for event in (event for line in plane.lines for event in line.events):
                if plane.event_metadata[event.metadata_id].name == "profiled":
                    stats = {plane.stat_metadata[stat.metadata_id].name: stat for stat in event.stats}
                    call = plane.stat_metadata[stats["tf_function_call"].ref_value].name
                    events.append((call or stats["tf_function_call"].str_value, stats["tracing_count"].int64_value))
        return events

    assert len(alike(tf, program)) == 6


def test_asynchronous_execution(tf: Any) -> None:
    """Results, and errors that arrive later, are those of tf.function."""

    def program(function: Maker) -> Any:
        step = function(lambda x, i: tf.gather(x, i))
        tf.config.experimental.set_synchronous_execution(False)
        try:
            return thrice(lambda: step(tf.ones([2]), tf.constant(1)).numpy())
        finally:
            tf.config.experimental.set_synchronous_execution(True)

    alike(tf, program)


def test_soft_device_placement(tf: Any) -> None:
    """A setting of the process that changes between calls."""

    def program(function: Maker) -> Any:
        step = function(lambda x: tf.reduce_sum(x @ x))
        answers = [thrice(step, tf.ones([3, 3]))]
        soft = tf.config.get_soft_device_placement()
        tf.config.set_soft_device_placement(not soft)
        answers.append(thrice(step, tf.ones([3, 3])))
        tf.config.set_soft_device_placement(soft)
        return answers

    alike(tf, program)
