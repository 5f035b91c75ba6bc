"""Inside other functions, loops, branches, `tf.data` and graphs of TensorFlow 1, it does what `tf.function` does."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tests.tensorflow.dropin.paired import Maker, alike, plain, thrice


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
