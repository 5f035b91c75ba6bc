"""How many traces a `traceonce.function` keeps and makes, and what happens past that."""

from __future__ import annotations

import functools
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.paired import outcome, plain
from tests.tensorflow.limited import THREADS, at_once, refused

strict = functools.partial(traceonce.function, relax=False, lift=False)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_limit_of_n_allows_n_retraces(tf: Any, most: int) -> None:
    """The first trace is none; what is past the limit is refused each time, and is not counted."""
    step = strict(lambda x: x * 2.0, limit=most)
    for size in range(1, most + 2):
        step(tf.ones([size]))
    for size in (98, 99, 98):
        error = refused(step, tf.ones([size]))
        assert (error.breach.retraces, error.breach.traces) == (most, most + 1)
    stats = traceonce.stats(step)
    assert (stats.traces, stats.kept) == (most + 1, most + 1)


def test_no_limit(tf: Any) -> None:
    """None lets it trace on; the number that is kept stays bounded."""
    step = strict(lambda x: x * 2.0, limit=None, keep=2)
    for size in range(1, 8):
        step(tf.ones([size]))
    assert (traceonce.stats(step).traces, traceonce.stats(step).kept) == (7, 2)


def test_the_traces_made_before_still_serve(tf: Any) -> None:
    """After a refusal, in the same thread and in others, with and without a tape."""
    step = strict(lambda x: x * x, limit=1)
    for size in (1, 2):
        step(tf.ones([size]))
    refused(step, tf.ones([3]))
    for size in (1, 2, 1):
        x = tf.ones([size]) * 3.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = step(x)
        assert plain(tape.gradient(y, x)) == plain(tf.ones([size]) * 6.0)
    assert len(at_once(lambda number: step(tf.ones([number + 1])))) == THREADS - 2


def test_what_is_evicted_and_traced_again_counts(tf: Any) -> None:
    """Otherwise two shapes in turns could trace for ever where one is kept."""
    step = strict(lambda x: x * 2.0, keep=1, limit=3)
    for size in (1, 2, 1, 2):
        step(tf.ones([size]))
    refused(step, tf.ones([1]))
    assert traceonce.stats(step).evicted == 3


def test_the_error_is_ours_and_tensorflows(tf: Any) -> None:
    """It names the limit, the count, the argument, and what it was and is; and it can be pickled."""

    @strict(limit=2)
    def train_step(x: Any, rate: float) -> Any:
        return x * rate

    for rate in (0.5, 0.25, 0.125):
        train_step(tf.ones([3]), rate)
    error = refused(train_step, tf.ones([3]), 0.75)
    assert isinstance(error, traceonce.TraceonceError)
    assert isinstance(error, tf.errors.ResourceExhaustedError)
    text = str(error)
    assert text.startswith("The function 'train_step' has been retraced 2 times. The tracing limit has been reached.")
    assert re.search(r"limit +2 retraces", text)
    assert [(c.path, c.was, c.now) for c in error.breach.causes] == [("rate", "0.125", "0.75")]
    assert "rate" in text
    assert "0.125" in text
    assert "0.75" in text
    assert Path(__file__).name in text
    assert str(pickle.loads(pickle.dumps(error))) == text


def test_the_error_names_a_dimension_of_a_nested_argument(tf: Any) -> None:
    """As precisely as a diagnosis does."""
    step = strict(lambda batch: batch["ids"][0] * 2.0, limit=0)
    step({"ids": [tf.ones([2, 3])]})
    (cause,) = refused(step, {"ids": [tf.ones([2, 5])]}).breach.causes
    assert (cause.path, cause.was, cause.now) == ("batch['ids'][0].shape[1]", "3", "5")


def test_the_limit_holds_for_lifted_and_relaxed_functions(tf: Any) -> None:
    """What varies is absorbed; what cannot be, is counted."""
    step = traceonce.function(lambda x, k, mode: tf.reduce_sum(x) * k, limit=5)
    for number in range(1, 20):
        step(tf.ones([number]), float(number), "a")
    for mode in "bcdefgh":
        if isinstance(outcome(step, tf.ones([3]), 1.0, mode), tuple) and traceonce.stats(step).traces > 5:
            break
    error = refused(step, tf.ones([3]), 1.0, "z")
    assert error.breach.retraces <= 5
    assert float(step(tf.ones([7]), 100.0, "a")) == 700.0


def test_trials_do_not_count(tf: Any) -> None:
    """Whether a number can be lifted is found out at traceonce's own expense."""
    step = traceonce.function(lambda x, k: [x] * k, limit=3, autograph=False)
    for k in (1, 2, 3, 4):
        assert len(step(tf.constant(1.0), k)) == k
    refused(step, tf.constant(1.0), 5)
    assert traceonce.stats(step).trials >= 1


def test_a_method_is_counted_for_each_object(tf: Any) -> None:
    """One object that runs away takes nothing from the others."""

    class Model:
        @strict(limit=1)
        def step(self, x: Any) -> Any:
            return x * 2.0

    first, second = Model(), Model()
    for size in (1, 2):
        first.step(tf.ones([size]))
    refused(first.step, tf.ones([3]))
    for size in (3, 4):
        second.step(tf.ones([size]))
    refused(second.step, tf.ones([5]))
    assert (traceonce.stats(first.step).traces, traceonce.stats(second.step).traces) == (2, 2)


def test_variables_of_the_first_call_are_not_held_against_it(tf: Any) -> None:
    """TensorFlow traces twice to create them."""
    made: list[Any] = []

    @strict(limit=0)
    def step(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(2.0))
        return x * made[0]

    for _ in range(3):
        assert float(step(tf.constant(2.0))) == 4.0
    refused(step, tf.ones([2]))


def test_a_concrete_function_counts_and_is_refused(tf: Any) -> None:
    """Whoever asks for traces by hand is bound, too."""
    step = strict(lambda x: x * 2.0, limit=1)
    step.get_concrete_function(tf.TensorSpec([1]))
    step(tf.ones([2]))
    refused(step.get_concrete_function, tf.TensorSpec([3]))


def test_inside_another_function(tf: Any) -> None:
    """The refusal comes out of the outer one as it is, not wrapped into another text."""
    step = strict(lambda x: x * 2.0, limit=0)
    step(tf.ones([1]))
    outer = tf.function(lambda x: step(x) + 1.0)
    error = refused(outer, tf.ones([2]))
    assert str(error).startswith("The function '<lambda>' has been retraced 0 times.")
    assert float(step(tf.ones([1]))[0]) == 2.0


def test_saving_a_model_is_not_refused(tf: Any, tmp_path: Path) -> None:
    """TensorFlow traces all again to save them; a function at its limit can still be exported."""

    class Model(tf.Module):
        @strict(limit=1)
        def __call__(self, x: Any) -> Any:
            return x * 2.0

    model = Model()
    for size in (1, 2):
        model(tf.ones([size]))
    tf.saved_model.save(model, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path))(tf.ones([2])).numpy().tolist() == [2.0, 2.0]


def test_to_warn(tf: Any) -> None:
    """It traces on, says so each time with the same facts, and keeps what it may keep."""
    step = strict(lambda x: x * 2.0, limit=1, keep=2, on_limit="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (1, 2, 1, 2):
            step(tf.ones([size]))
    with pytest.warns(traceonce.TracingLimitWarning, match=r"retraced 1 times(?s:.*)x\.shape\[0\]") as caught:
        assert plain(step(tf.ones([3]))) == plain(tf.ones([3]) * 2.0)
    assert len(caught) == 1
    stats = traceonce.stats(step)
    assert (stats.traces, stats.kept) == (3, 2)


def test_to_run_eagerly(tf: Any) -> None:
    """Past the limit the body runs as Python, each time; the traces made before still serve; tapes see through."""
    modes: list[bool] = []

    @strict(limit=0, on_limit="eager")
    def step(x: Any, k: float = 2.0) -> Any:
        modes.append(tf.executing_eagerly())
        return x * x * k

    for _ in range(3):
        step(tf.ones([1]))
    for _ in range(2):
        x = tf.ones([2]) * 3.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = step(x, k=3.0)
        assert plain(y) == plain(tf.ones([2]) * 27.0)
        assert plain(tape.gradient(y, x)) == plain(tf.ones([2]) * 18.0)
    assert plain(step(tf.ones([1]))) == plain(tf.ones([1]) * 2.0)
    assert modes == [False, True, True]
    refused(step.get_concrete_function, tf.TensorSpec([3]))


def test_to_run_eagerly_as_a_method_and_inside_a_function(tf: Any) -> None:
    """Inside another function the body becomes part of that one's graph."""

    class Model:
        factor = 2.0

        @strict(limit=0, on_limit="eager")
        def step(self, x: Any) -> Any:
            return x * self.factor

    model = Model()
    outer = tf.function(lambda x: model.step(x) + 1.0)
    for size in (1, 2, 3):
        for _ in range(3):
            assert plain(model.step(tf.ones([size]))) == plain(tf.ones([size]) * 2.0)
            assert plain(outer(tf.ones([size]))) == plain(tf.ones([size]) * 3.0)


def test_keep_is_at_least_what_one_call_needs(tf: Any) -> None:
    """With one trace kept everything works, only slower: variables, tapes, lifting, relaxing."""
    weight = tf.Variable(2.0)
    step = traceonce.function(lambda x, k: tf.reduce_sum(x) * weight * k, keep=1, limit=None)
    reference = tf.function(step.python_function)
    for _ in range(2):
        for size in (1, 2, 3):
            for k in (1.0, 2.0, 3.0):
                x = tf.ones([size])
                with tf.GradientTape() as tape:
                    y = step(x, k)
                assert plain(y) == plain(reference(x, k))
                assert float(tape.gradient(y, weight)) == size * k
                assert traceonce.stats(step).kept <= 1


def test_a_limit_of_traceonce_holds_for_ours(tf: Any) -> None:
    """`traceonce.limit` and `max_traces` see the traces of `traceonce.function` as any others."""
    traceonce.limit(1)
    step = strict(lambda x: x * 2.0)
    for size in (1, 2, 1, 2):
        step(tf.ones([size]))
    refused(step, tf.ones([3]))
    assert float(step(tf.ones([2]))[0]) == 2.0


BAD: dict[str, tuple[dict[str, Any], type[Exception]]] = {
    "keep none": ({"keep": 0}, ValueError),
    "keep less": ({"keep": -1}, ValueError),
    "keep a float": ({"keep": 1.5}, TypeError),
    "keep a text": ({"keep": "64"}, TypeError),
    "keep a bool": ({"keep": True}, TypeError),
    "keep nothing": ({"keep": None}, TypeError),
    "limit less": ({"limit": -1}, ValueError),
    "limit a float": ({"limit": 1e3}, TypeError),
    "limit a bool": ({"limit": False}, TypeError),
    "on_limit": ({"on_limit": "explode"}, ValueError),
    "on_limit nothing": ({"on_limit": None}, (TypeError, ValueError)),
    "on_limit a list": ({"on_limit": ["raise"]}, (TypeError, ValueError)),
    "relax": ({"relax": "yes"}, TypeError),
    "lift": ({"lift": 1}, TypeError),
    "pad a number": ({"pad": 16}, TypeError),
    "pad without axes": ({"pad": {"x": (16, 32)}}, TypeError),
    "pad an axis by name": ({"pad": {"x": {"1": (16, 32)}}}, TypeError),
    "pad with nothing": ({"pad": {"x": {1: ()}}}, (TypeError, ValueError)),
    "pad with zero": ({"pad": {"x": {1: (0, 16)}}}, (TypeError, ValueError)),
    "pad with a float": ({"pad": {"x": {1: (1.5,)}}}, TypeError),
    "pad with a text": ({"pad": {"x": {1: "16"}}}, TypeError),
    "pad downwards": ({"pad": {"x": {1: (32, 16)}}}, ValueError),
    "pad a stranger": ({"pad": {"nobody": {1: (16,)}}}, ValueError),
    "true_length alone": ({"true_length": {"x": {1: "length"}}}, ValueError),
    "true_length of a stranger": ({"pad": {"x": {1: (8,)}}, "true_length": {"x": {1: "nobody"}}}, ValueError),
    "true_length a number": ({"pad": {"x": {1: (8,)}}, "true_length": {"x": {1: 3}}}, TypeError),
    "true_length of another axis": ({"pad": {"x": {1: (8,)}}, "true_length": {"x": {0: "length"}}}, ValueError),
    "unpad alone": ({"unpad": {"": {1: ("x", 1)}}}, ValueError),
    "unpad a bad path": ({"pad": {"x": {1: (8,)}}, "unpad": {"logits": {1: ("x", 1)}}}, ValueError),
    "unpad without an axis": ({"pad": {"x": {1: (8,)}}, "unpad": {"": {1: "x"}}}, TypeError),
    "unpad another axis": ({"pad": {"x": {1: (8,)}}, "unpad": {"": {1: ("x", 0)}}}, ValueError),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_option_is_named(tf: Any, bad: str) -> None:
    """When the function is made, not at its first call."""
    options, kind = BAD[bad]

    def step(x: Any, length: Any = None) -> Any:
        return x

    with pytest.raises(kind, match=bad.split()[0]):
        traceonce.function(step, **options)


@pytest.mark.parametrize("thing", [None, 3, len, "a text"], ids=repr)
def test_stats_are_of_our_functions(tf: Any, thing: Any) -> None:
    """Of anything else there are none."""
    with pytest.raises(TypeError, match="stats"):
        traceonce.stats(thing)
    with pytest.raises(TypeError, match="stats"):
        traceonce.stats(tf.function(lambda x: x))


def test_stats_of_a_method(tf: Any) -> None:
    """Of one object through the object, of all through the class."""

    class Model:
        @traceonce.function
        def step(self, x: Any) -> Any:
            return x * 2.0

    first, second = Model(), Model()
    for _ in range(3):
        first.step(tf.ones([1]))
    second.step(tf.ones([1]))
    readers: list[Callable[[Any], int]] = [lambda stats: stats.traces, lambda stats: stats.hits]
    assert [read(traceonce.stats(first.step)) for read in readers] == [1, 2]
    assert [read(traceonce.stats(second.step)) for read in readers] == [1, 0]
    assert [read(traceonce.stats(Model.step)) for read in readers] == [2, 2]


def test_tensorflow_counts_hits_before_it_warns(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A trace now and then among many calls is no reason for its warning, and one for nearly each call is."""
    rarely, often = (traceonce.function(lambda x, mode, own=own: x) for own in range(2))
    with caplog.at_level("WARNING", logger="tensorflow"):
        for turn in range(8):
            for _ in range(30):
                rarely(tf.constant(1.0), f"mode {turn}")
        assert "triggered tf.function retracing" not in caplog.text
        for turn in range(8):
            often(tf.constant(1.0), f"mode {turn}", own=2)
        assert "triggered tf.function retracing" in caplog.text
