"""How many traces does a limit allow in real TensorFlow, in any thread or process, and which limit holds?"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.limited import THREADS, at_once, in_a_child, refused

HERE = Path(__file__).name


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_limit_of_n_allows_n_retraces(tf: Any, most: int) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(most)
    for k in range(most + 1):
        step(tf.constant(1.0), float(k))
    for k in (98.0, 99.0):
        error = refused(step, tf.constant(1.0), k)
        assert f"has been retraced {most} times." in str(error)
        assert (error.breach.retraces, error.breach.traces) == (most, most + 1)
    assert step.experimental_get_tracing_count() == most + 1


@pytest.mark.parametrize("most", [0, 1, 3])
def test_max_traces_counts_the_first_one(tf: Any, most: int) -> None:
    @traceonce.max_traces(most)
    @tf.function
    def step(x: Any, k: float) -> Any:
        return x + k

    for k in range(most):
        step(tf.constant(1.0), float(k))
    error = refused(step, tf.constant(1.0), 99.0)
    assert f"has been retraced {max(most - 1, 0)} times." in str(error)
    assert error.breach.traces == most
    assert step.experimental_get_tracing_count() == most


def test_what_was_traced_before_the_limit_came_is_known_but_not_counted(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    for size in (1, 2, 3):
        step(tf.zeros([size]))
    traceonce.limit(1)
    step(tf.zeros([3]))
    step(tf.zeros([4]))
    error = refused(step, tf.zeros([5]))
    assert [(c.code.value, c.path, c.was, c.now) for c in error.breach.causes] == [("shape", "x.shape[0]", "4", "5")]


def test_a_concrete_function_asked_for_is_a_trace(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    traceonce.limit(0)
    step.get_concrete_function(tf.TensorSpec([1], tf.float32))
    refused(step.get_concrete_function, tf.TensorSpec([2], tf.float32))


def test_calls_in_the_warm_up_are_free(tf: Any) -> None:
    @traceonce.max_traces(0, warmup=4)
    @tf.function
    def step(x: Any) -> Any:
        return x + 1

    for size in (1, 2, 2, 3):
        step(tf.zeros([size]))
    error = refused(step, tf.zeros([4]))
    assert "limit      0 traces after a warm-up of 4 calls; this call would exceed it" in str(error)
    step(tf.zeros([3]))


def test_one_function_in_many_threads(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(3)
    step(tf.constant(1.0), 0.0)
    refusals = at_once(lambda number: step(tf.constant(1.0), float(number + 1)))
    assert len(refusals) == THREADS - 3
    assert {error.breach.retraces for error in refusals} == {3}
    assert step.experimental_get_tracing_count() == 4


def test_the_first_traces_in_many_threads(tf: Any) -> None:
    @traceonce.max_traces(2)
    @tf.function
    def step(x: Any, k: float) -> Any:
        return x + k

    assert len(at_once(lambda number: step(tf.constant(1.0), float(number)))) == THREADS - 2
    assert step.experimental_get_tracing_count() == 2


def test_hits_and_misses_in_many_threads(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(5)
    step(tf.constant(1.0), 0.0)
    hits: list[float] = []

    def work(number: int) -> None:
        for k in range(10):
            hits.append(float(step(tf.constant(1.0), 0.0)))
            step(tf.constant(1.0), float(k % 5 + 1))  # five values, so that every thread can go on
        step(tf.constant(1.0), float(100 + number))

    refusals = at_once(work)
    assert len(refusals) == THREADS
    assert hits == [1.0] * 10 * THREADS
    assert {error.breach.retraces for error in refusals} == {5}
    assert step.experimental_get_tracing_count() == 6


def objects_over_one_code(tf: Any, body: Callable[[int], Callable[[Any], Any]]) -> list[Any]:
    """Function objects, each of which is being traced when all the others are."""
    together = threading.Barrier(THREADS)

    def make(number: int) -> Any:
        graph = body(number)

        def step(x: Any) -> Any:
            together.wait(60)
            return graph(x)

        return tf.function(step, autograph=False)

    return [make(number) for number in range(THREADS)]


@pytest.mark.parametrize("most", [0, 3])
def test_many_function_objects_with_one_graph_in_many_threads(tf: Any, most: int) -> None:
    """While all of them are being traced nobody knows which is the first, and which the same again."""
    steps = objects_over_one_code(tf, lambda number: lambda x: x + 1)
    traceonce.limit(most)
    refusals = at_once(lambda number: steps[number](tf.constant(1.0)))
    assert len(refusals) == THREADS - 1 - most
    assert {error.breach.retraces for error in refusals} == {most}
    assert {cause.code.value for error in refusals for cause in error.breach.causes} == {"new_function"}
    assert sum(step.experimental_get_tracing_count() for step in steps) == most + 1


def test_many_function_objects_under_max_traces_in_many_threads(tf: Any) -> None:
    steps = [traceonce.max_traces(3)(step) for step in objects_over_one_code(tf, lambda number: lambda x: x + 1)]
    assert len(at_once(lambda number: steps[number](tf.constant(1.0)))) == THREADS - 3
    assert sum(step.experimental_get_tracing_count() for step in steps) == 3


def test_under_a_general_limit_the_methods_of_several_objects_are_one(tf: Any) -> None:
    """What was refused only when it was made is refused at once when it is asked for again."""
    traced: list[int] = []

    class Model:
        @tf.function(autograph=False)
        def step(self, x: Any) -> Any:
            traced.append(1)
            return x + 1

    first, second, third = Model(), Model(), Model()
    traceonce.limit(1)
    first.step(tf.zeros([1]))
    second.step(tf.zeros([1]))
    for _ in range(3):
        error = refused(third.step, tf.zeros([1]))
        assert [(cause.code.value, cause.now) for cause in error.breach.causes] == [("new_instance", "instance 3")]
    assert len(traced) == 3
    second.step(tf.zeros([1]))


def test_many_graphs_over_one_code_in_many_threads(tf: Any) -> None:
    """Each is another model: none is traced again."""

    def powers(number: int) -> Callable[[Any], Any]:
        return lambda x: functools.reduce(lambda y, _: y * x, range(number), x)

    steps = [traceonce.max_traces(1)(step) for step in objects_over_one_code(tf, powers)]
    assert at_once(lambda number: steps[number](tf.constant(2.0))) == []


def test_a_limit_that_comes_while_a_function_is_being_traced(tf: Any) -> None:
    """That trace passes; the next one is a retrace."""
    tracing, go_on = threading.Event(), threading.Event()

    def slow(x: Any, k: int) -> Any:
        tracing.set()
        assert go_on.wait(60)
        return x

    step = tf.function(slow, autograph=False)
    with traceonce.watch():
        thread = threading.Thread(target=step, args=(tf.constant(1.0), 0))
        thread.start()
        assert tracing.wait(60)
        traceonce.limit(0)
        go_on.set()
        thread.join(60)
        step(tf.constant(1.0), 0)
        refused(step, tf.constant(1.0), 1)


def test_a_function_that_calls_itself(tf: Any) -> None:
    """The inner traces are done first, but were asked for later: they are the retraces."""

    @tf.function
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)

    traceonce.limit(2)
    error = refused(power, tf.constant(2.0), 4)
    assert [(c.path, c.was, c.now) for c in error.breach.causes] == [("n", "2", "1")]
    assert (error.breach.retraces, error.breach.traces) == (2, 3)
    assert float(power(tf.constant(2.0), 3)) == 8.0
    assert power.experimental_get_tracing_count() == 3
    refused(power, tf.constant(2.0), 4)


# What does not count?


def test_variables_created_on_the_first_call_are_one_trace(tf: Any) -> None:
    class Model:
        v = None

        @traceonce.max_traces(2)
        @tf.function
        def step(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(1.0)
            return tf.reduce_sum(x) * self.v

    model = Model()
    model.step(tf.zeros([3]))
    model.step(tf.zeros([4]))
    assert refused(model.step, tf.zeros([5])).breach.traces == 2


def small_model(keras: Any, units: int) -> Any:
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(units), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def test_what_keras_does_inside_fit_is_not_counted(tf: Any) -> None:
    x, y = np.zeros((32, 4), "float32"), np.zeros((32, 1), "float32")
    with traceonce.watch() as seen, traceonce.limit(0):
        for units in (2, 3, 4):  # each another graph over the same code
            model = small_model(tf.keras, units)
            model.fit(x, y, batch_size=16, epochs=2, verbose=0, validation_data=(x, y))
            model.predict(x, batch_size=16, verbose=0)
    assert "internal" in {event.phase for event in seen.events}
    assert sum(diagnosis.traces for diagnosis in seen) >= 9
    assert seen.recording.breaches == ()


def test_the_same_keras_model_again_is(tf: Any) -> None:
    """Keras 2 creates the optimizer's variables in that trace, so that it is told of, but not taken back."""
    x, y = np.zeros((32, 4), "float32"), np.zeros((32, 1), "float32")
    with traceonce.watch() as seen, traceonce.limit(1):
        for _ in range(2):
            small_model(tf.keras, 3).fit(x, y, batch_size=16, verbose=0)
        assert seen.recording.breaches == ()
        with contextlib.suppress(traceonce.TracingLimitReached):
            small_model(tf.keras, 3).fit(x, y, batch_size=16, verbose=0)
    breach = seen.recording.breaches[0]
    assert [cause.code.value for cause in breach.causes] == ["new_function"]
    assert breach.function.library
    assert breach.call_site is not None
    assert (Path(breach.call_site.file).name, breach.call_site.via is not None) == (HERE, True)


def test_saved_models_are_not_counted(tf: Any, tmp_path: Path) -> None:
    class Model(tf.Module):  # type: ignore[misc]  # untyped base
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * self.v

    traceonce.limit(0)
    model = Model()
    model(tf.zeros([2]))
    for _ in range(2):
        tf.saved_model.save(model, str(tmp_path))
        loaded = tf.saved_model.load(str(tmp_path))
        assert loaded(tf.ones([2])).numpy().tolist() == [1.0, 1.0]


def test_a_failed_trace_is_given_back(tf: Any) -> None:
    fails = True

    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        if fails:
            raise ValueError("mine")
        return x + 1

    traceonce.max_traces(2)(step)
    for size in (1, 2, 3):
        with pytest.raises(ValueError, match="mine"):
            step(tf.zeros([size]))
    fails = False
    step(tf.zeros([1]))
    step(tf.zeros([2]))
    refused(step, tf.zeros([3]))


def test_nested_functions_are_judged_each_on_its_own(tf: Any) -> None:
    inner = tf.function(lambda x: x * 2)
    outer = tf.function(lambda x, k: inner(x) + k)
    traceonce.limit(1)
    for k in (0.0, 1.0):
        outer(tf.zeros([1]), k)
    assert refused(outer, tf.zeros([1]), 2.0).breach.function.line == outer.python_function.__code__.co_firstlineno
    inner(tf.zeros([2]))
    error = refused(tf.function(lambda x: inner(x) - 1), tf.zeros([3]))
    assert error.breach.function.line == inner.python_function.__code__.co_firstlineno


def test_what_an_inner_limit_refuses_is_given_back_to_the_function_around_it(tf: Any) -> None:
    inner = traceonce.max_traces(1)(tf.function(lambda x: x * 2))
    outer = tf.function(lambda x: inner(x) + 1)
    traceonce.limit(1)
    outer(tf.zeros([1]))
    for _ in range(3):
        refused(outer, tf.zeros([2]))
    traceonce.max_traces(2)(inner)
    outer(tf.zeros([2]))
    assert outer.experimental_get_tracing_count() == 2


# Which limit holds?


def test_the_innermost_block_holds_and_the_outer_one_comes_back_with_its_counts(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    sizes = iter(range(1, 99))

    def another() -> None:
        step(tf.zeros([next(sizes)]))

    with traceonce.limit(2):
        another()
        another()
        with traceonce.limit(1):
            another()
            refused(another)
            with traceonce.limit(None):
                for _ in range(5):
                    another()
            refused(another)
        another()
        assert refused(another).breach.retraces == 2
    another()


def test_what_was_first_traced_in_a_block_is_traced_again_after_it(tf: Any) -> None:
    """It is not on the outer limit's account, but the next trace is."""
    for inner in (5, None):
        step = tf.function(lambda x: x + 1)
        with traceonce.limit(0):
            with traceonce.limit(inner):
                step(tf.zeros([1]))
                step(tf.zeros([2]))
            assert refused(step, tf.zeros([3])).breach.retraces == 0


def test_a_limit_of_its_own_goes_before_every_other(tf: Any) -> None:
    own = traceonce.max_traces(3)(tf.function(lambda x: x + 1))
    other = tf.function(lambda x: x + 1)
    with traceonce.limit(0):
        for size in (1, 2, 3):
            own(tf.zeros([size]))
        other(tf.zeros([1]))
        refused(other, tf.zeros([2]))
        with traceonce.limit(None):
            refused(own, tf.zeros([4]))
            other(tf.zeros([2]))


def test_the_same_limit_given_again_keeps_its_counts_and_another_replaces_it(tf: Any) -> None:
    step = traceonce.max_traces(1)(tf.function(lambda x: x + 1))
    step(tf.zeros([1]))
    traceonce.max_traces(1)(step)
    refused(step, tf.zeros([2]))
    traceonce.max_traces(2)(step)
    step(tf.zeros([2]))
    step(tf.zeros([3]))
    refused(step, tf.zeros([4]))


def test_limits_need_not_end_in_the_order_in_which_they_began(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    outer, inner = traceonce.limit(0), traceonce.limit(5)
    step(tf.zeros([1]))
    outer.remove()
    step(tf.zeros([2]))
    inner.remove()
    inner.remove()
    step(tf.zeros([3]))
    assert step.experimental_get_tracing_count() == 3


def test_a_limit_that_was_removed_is_not_entered_again() -> None:
    limit = traceonce.limit(3)
    with limit:
        pass
    with pytest.raises(RuntimeError, match="no longer in force; create a new one"), limit:
        pass


# Forked processes


def test_a_forked_process_goes_on_counting(tf: Any) -> None:
    """Also where its parent had called the function before the limit came, and calls are numbered anew."""
    step = tf.function(lambda x, k: x + k)
    x = tf.constant(1.0)
    with traceonce.watch():
        for _ in range(20):
            step(x, 0)
        traceonce.limit(2)
        step(x, 1)

        def work() -> str:
            step.get_concrete_function(x, 2)  # in a forked process TensorFlow traces, but cannot run
            return str(refused(step, x, 3).breach.retraces)

        assert in_a_child(work) == "2"
        step(x, 2)
        assert refused(step, x, 3).breach.retraces == 2


def test_a_trace_under_way_in_another_thread_is_not_the_childs(tf: Any) -> None:
    """It never ends there. What it had reserved is free again."""
    tracing, go_on = threading.Event(), threading.Event()

    def body(x: Any, k: int) -> Any:
        if k == 1:
            tracing.set()
            assert go_on.wait(60)
        return x

    slow, quick = (tf.function(body, autograph=False) for _ in range(2))
    x = tf.constant(1.0)
    traceonce.limit(2)
    slow(x, 0)
    quick(x, 0)
    thread = threading.Thread(target=lambda: slow(x, 1))
    thread.start()
    assert tracing.wait(60)

    def work() -> str:
        quick.get_concrete_function(x, 2)
        return str(refused(quick, x, 3).breach.retraces)

    try:
        assert in_a_child(work) == "2"
        assert refused(quick, x, 2).breach.retraces == 2
    finally:
        go_on.set()
        thread.join(60)
