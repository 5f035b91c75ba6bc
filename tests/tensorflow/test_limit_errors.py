"""The error that a program gets at a limit: what it says, what it passes through unharmed, and what goes on after."""

from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import pickle
import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import traceonce
from tests.our_files import is_ours
from tests.tensorflow.limited import refused
from traceonce.facts import Breach, TraceEvent
from traceonce.limits.program_limits import limits
from traceonce.observe.hub import hub

HERE = Path(__file__).name


def one_retrace_too_many(tf: Any) -> traceonce.TracingLimitReached:
    @tf.function
    def train_step(x: Any, k: int) -> Any:
        return x + float(k)

    with traceonce.limit(0):
        train_step(tf.zeros([2]), 0)
        with pytest.raises(traceonce.TracingLimitReached) as caught:
            train_step(tf.zeros([3]), 1)
    return caught.value


def test_the_error_is_one_of_tensorflows_and_says_all(tf: Any) -> None:
    error = one_retrace_too_many(tf)
    assert type(error).__name__ == "TracingLimitReached"
    assert isinstance(error, tf.errors.ResourceExhaustedError)
    assert isinstance(error, traceonce.TraceonceError)
    line = one_retrace_too_many.__code__.co_firstlineno
    lines = str(error).replace(str(Path(__file__).parent), "").replace("tests/tensorflow", "").splitlines()
    assert lines == [
        "The function 'train_step' has been retraced 0 times. The tracing limit has been reached. This may be caused "
        "by passing Python literals or tensors with changing shapes.",
        "  limit      0 retraces; this call would exceed it",
        f"  function   one_retrace_too_many.<locals>.train_step, /{HERE}:{line + 1}",
        f"  called at  /{HERE}:{line + 8}",
        "  cause      x.shape[0]: now 3, before 2 (varies)",
        "  cause      k: now 1, before 0 (a Python int)",
        "  change     give the dimension as None in an input_signature, or set reduce_retracing=True",
        "  change     pass a tensor, unless the function needs the Python value",
    ]
    assert re.match("The function.*has been retraced.*times.*tracing limit", str(error))
    assert error.message == str(error)
    assert (error.error_code, error.op, error.node_def) == (tf.errors.RESOURCE_EXHAUSTED, None, None)


@pytest.mark.parametrize(
    "carry",
    [
        *(lambda e, n=n: pickle.loads(pickle.dumps(e, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_the_error_can_be_carried(tf: Any, carry: Callable[[Any], Any]) -> None:
    error: Any = one_retrace_too_many(tf)
    error.__notes__ = ["in epoch 3"]
    again = carry(error)
    assert type(again) is type(error)
    assert (str(again), again.args, again.breach) == (str(error), error.args, error.breach)
    assert (again.message, again.error_code, again.__notes__) == (error.message, error.error_code, ["in epoch 3"])
    assert isinstance(carry(again), tf.errors.ResourceExhaustedError)


def fails_in_a_worker(number: int) -> NoReturn:
    raise pickle.loads(CARRIED)


CARRIED = b""


def test_the_error_comes_back_from_a_worker_process(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.CARRIED", pickle.dumps(one_retrace_too_many(tf)))
    forking = multiprocessing.get_context("fork")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 does not like a fork where there are threads
        with concurrent.futures.ProcessPoolExecutor(1, forking) as executor:
            assert "retraced 0 times" in str(refused(executor.submit(fails_in_a_worker, 1).result))
        with forking.Pool(1) as pool:
            assert isinstance(refused(pool.map, fails_in_a_worker, [1]), tf.errors.ResourceExhaustedError)


# Not among them: tf.map_fn and tf.scan inside a function. There any error leaves TensorFlow's variable scope damaged.
SURROUNDINGS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a function": lambda tf, inner, x: tf.function(lambda x: inner(x))(x),
    "a function in a function": lambda tf, inner, x: tf.function(lambda x: tf.function(inner)(x))(x),
    "no autograph": lambda tf, inner, x: tf.function(inner, autograph=False)(x),
    "cond": lambda tf, inner, x: tf.function(lambda x: tf.cond(x > 0, lambda: inner(x), lambda: x))(x),
    "case": lambda tf, inner, x: tf.function(lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: inner(x)]))(x),
    "while": lambda tf, inner, x: tf.function(lambda x: tf.while_loop(lambda x: x < 9, inner, [x]))(x),
    "map_fn": lambda tf, inner, x: tf.map_fn(inner, tf.ones([3])),
    "vectorized_map": lambda tf, inner, x: tf.vectorized_map(inner, tf.ones([3])),
    "custom_gradient": lambda tf, inner, x: tf.custom_gradient(lambda x: (inner(x), lambda dy: dy))(x),
    "recompute_grad": lambda tf, inner, x: tf.function(lambda x: tf.recompute_grad(inner)(x))(x),
    "map": lambda tf, inner, x: tf.data.Dataset.from_tensors(x).map(inner),
    "map of a lambda": lambda tf, inner, x: tf.data.Dataset.from_tensors(x).map(lambda x: inner(x)),
    "filter": lambda tf, inner, x: tf.data.Dataset.from_tensors(x).filter(lambda x: inner(x) > 0),
    "strategy": lambda tf, inner, x: tf.distribute.MirroredStrategy(["/cpu:0"]).run(tf.function(inner), (x,)),
    "replica": lambda tf, inner, x: tf.function(tf.distribute.MirroredStrategy(["/cpu:0"]).run)(inner, (x,)),
    "lambda layer": lambda tf, inner, x: tf.keras.layers.Lambda(inner, output_shape=(1,))(tf.ones([1, 1])),
}


@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_the_error_passes_through(tf: Any, surroundings: str) -> None:
    step = tf.function(lambda x, k: x + k)
    traceonce.limit(0)
    step(tf.constant(1.0), 1)
    error = refused(SURROUNDINGS[surroundings], tf, lambda x: step(x, 2), tf.constant(1.0))
    assert str(error).startswith(
        "The function '<lambda>' has been retraced 0 times. The tracing limit has been reached."
    )
    assert isinstance(error, tf.errors.ResourceExhaustedError)
    assert error.breach.function.line == step.python_function.__code__.co_firstlineno
    step(tf.constant(1.0), 1)


def test_the_error_passes_through_what_autograph_makes_of_statements(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)

    @tf.function
    def in_a_for(x: Any) -> Any:
        for _ in tf.range(3):
            x = step(x, 2)
        return x

    @tf.function
    def in_a_while(x: Any) -> Any:
        while x < 9:
            x = step(x, 3)
        return x

    @tf.function
    def in_an_if(x: Any) -> Any:
        if x > 0:
            x = step(x, 4)
        return x

    @tf.function
    def in_a_try(x: Any) -> Any:
        try:
            return step(x, 5)
        finally:
            x = x + 1

    @tf.function
    def in_a_called_function(x: Any) -> Any:
        def helper(y: Any) -> Any:
            return step(y, 6)

        return helper(x)

    traceonce.limit(0)
    step(tf.constant(1.0), 1)
    for caller in (in_a_for, in_a_while, in_an_if, in_a_try, in_a_called_function):
        error = refused(caller, tf.constant(1.0))
        assert isinstance(error, tf.errors.ResourceExhaustedError)
        assert error.breach.call_site is not None
        assert Path(error.breach.call_site.file).name == HERE


def test_a_program_can_catch_it_while_it_is_traced(tf: Any) -> None:
    step = tf.function(lambda x, k: x + k)

    @tf.function
    def careful(x: Any) -> Any:
        try:
            return step(x, 2.0)
        except tf.errors.ResourceExhaustedError:
            return step(x, 1.0)

    traceonce.limit(0)
    step(tf.constant(1.0), 1.0)
    assert float(careful(tf.constant(1.0))) == 2.0


def test_the_error_passes_through_keras(tf: Any) -> None:
    step = tf.function(lambda x, k: x * k)

    class Scaled(tf.keras.layers.Layer):  # type: ignore[misc]  # untyped base
        factor = 1.0

        def call(self, x: Any) -> Any:
            return step(x, self.factor)

    layer = Scaled()
    model = tf.keras.Sequential([tf.keras.layers.Input((4,)), layer, tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.zeros((4, 4), "float32"), np.zeros((4, 1), "float32")
    step(tf.zeros([4, 4]), 1.0)
    traceonce.limit(0)
    layer.factor = 2.0
    for use in (
        lambda: model(tf.zeros([4, 4])),
        lambda: model.fit(x, y, batch_size=4, verbose=0),
        lambda: model.predict(x, verbose=0),
        lambda: layer(tf.zeros([4, 4])),
        lambda: tf.keras.Sequential([tf.keras.layers.Input((5,)), layer]),
    ):
        error = refused(use)
        assert isinstance(error, tf.errors.ResourceExhaustedError)
        assert str(error).startswith("The function '<lambda>' has been retraced 0 times.")


@pytest.mark.parametrize("reaction", ["raise", "warn", "callback"])
def test_no_frame_of_ours_in_the_traceback(tf: Any, reaction: str) -> None:
    def mine(breach: Breach) -> None:
        raise RuntimeError("mine")

    step = tf.function(lambda x: x + 1)
    was = tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    try:
        with traceonce.limit(0, on_limit=mine if reaction == "callback" else reaction):  # type: ignore[arg-type]
            step(tf.zeros([1]))
            with pytest.raises((traceonce.TracingLimitReached, traceonce.TracingLimitWarning, RuntimeError)) as caught:
                step(tf.zeros([2]))
    finally:
        if was:
            tf.debugging.enable_traceback_filtering()
    files = [str(entry.path) for entry in caught.traceback]
    assert not list(filter(is_ours, files))
    assert (caught.traceback[-1].name == "mine") is (reaction == "callback")


# And then?


def test_after_the_error_everything_else_goes_on(tf: Any) -> None:
    step, other = tf.function(lambda x: x + 1), tf.function(lambda x: x - 1)
    limit = traceonce.limit(0)
    step(tf.zeros([1]))
    refused(step, tf.zeros([2]))
    answers: list[Any] = []

    def use() -> None:
        answers.append(step(tf.zeros([1])).numpy().tolist())
        answers.append(other(tf.zeros([2])).numpy().tolist())
        refused(step, tf.zeros([3]))

    for _ in range(2):  # in another thread no lock is held, and in this one everything is as it was
        thread = threading.Thread(target=use)
        thread.start()
        thread.join(60)
        use()
    assert answers == [[1.0], [-1.0, -1.0]] * 4
    limit.remove()
    assert step(tf.zeros([2])).numpy().tolist() == [1.0, 1.0]
    assert step.experimental_get_tracing_count() == 2


def test_a_refused_first_trace_can_be_made_later(tf: Any) -> None:
    step = traceonce.max_traces(0)(tf.function(lambda x: x + 1))
    refused(step, tf.zeros([1]))
    limits.clear()
    assert step(tf.zeros([1])).numpy().tolist() == [1.0]


class Listener:
    """Is asked like a limit, and never says no."""

    def __init__(self) -> None:
        self.asked: list[TraceEvent] = []

    def write(self, entry: Any) -> None: ...

    def withdraw(self, event: TraceEvent) -> None: ...

    def permit(self, event: TraceEvent, refuse: Any, *, made: bool) -> None:
        self.asked.append(event)


def test_refused_calls_pile_nothing_up(tf: Any) -> None:
    """A program that catches the error, and calls again and again with objects that live for one call."""

    class Setting:
        """Known to TensorFlow by its identity."""

    step = tf.function(lambda x, k: x)
    for _ in range(10):
        step(tf.constant(1.0), Setting())
    listener = Listener()
    hub.guard(listener)
    try:
        traceonce.limit(0)
        for _ in range(30):
            refused(step, tf.constant(1.0), Setting())
    finally:
        hub.leave(listener)
    assert len(listener.asked) == 30
    assert max(len(event.dead) + len(event.earlier) for event in listener.asked) < 100


def test_a_watch_sees_what_was_refused(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    traceonce.limit(0)
    with traceonce.watch() as seen:
        step(tf.zeros([1]))
        error = refused(step, tf.zeros([2]))
    (breach,) = seen.recording.breaches
    assert (breach.function, breach.causes, breach.refused) == (error.breach.function, error.breach.causes, True)
    assert len(seen.events) == 1
