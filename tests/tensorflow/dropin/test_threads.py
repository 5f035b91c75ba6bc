"""Called from many threads, it does what `tf.function` does."""

from __future__ import annotations

from typing import Any

import traceonce
from tests.tensorflow.limited import THREADS, at_once


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
