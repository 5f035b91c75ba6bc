"""`traceonce.max_traces` on whatever can be traced, and where it makes no sense."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import traceonce
from tests.our_files import is_ours
from tests.tensorflow.limited import refused

HERE = Path(__file__).name


def above(tf: Any) -> Callable[[Any], Any]:
    @traceonce.max_traces(2)
    @tf.function
    def step(x: Any) -> Any:
        return x + 1

    return step  # type: ignore[no-any-return]  # untyped


def below(tf: Any) -> Callable[[Any], Any]:
    @tf.function
    @traceonce.max_traces(2)
    def step(x: Any) -> Any:
        return x + 1

    return step  # type: ignore[no-any-return]  # untyped


def around_a_wrapper(tf: Any) -> Callable[[Any], Any]:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return function(*args)

        return call

    @traceonce.max_traces(2)
    @logged
    @tf.function
    @logged
    def step(x: Any) -> Any:
        return x + 1

    return step  # type: ignore[no-any-return]  # untyped


class Model:
    def step(self, x: Any, k: int = 1) -> Any:
        return x + k

    def __call__(self, x: Any) -> Any:
        return x + 1


def method_in_the_class(tf: Any) -> Callable[[Any], Any]:
    class Decorated(Model):
        step = traceonce.max_traces(2)(tf.function(lambda self, x: x + 1))

    return Decorated().step  # type: ignore[no-any-return]  # untyped


def method_of_an_object(tf: Any) -> Callable[[Any], Any]:
    model: Any = Model()
    model.step = traceonce.max_traces(2)(tf.function(model.step))
    return model.step  # type: ignore[no-any-return]  # untyped


def partial(tf: Any) -> Callable[[Any], Any]:
    return traceonce.max_traces(2)(tf.function(functools.partial(Model().step, k=2)))  # type: ignore[no-any-return]


def anonymous(tf: Any) -> Callable[[Any], Any]:
    return traceonce.max_traces(2)(tf.function(lambda x: x + 1))  # type: ignore[no-any-return]  # untyped


def callable_object(tf: Any) -> Callable[[Any], Any]:
    return traceonce.max_traces(2)(tf.function(Model()))  # type: ignore[no-any-return]  # untyped


def object_whose_call_is_traced(tf: Any) -> Callable[[Any], Any]:
    class Traced:
        @tf.function
        def __call__(self, x: Any) -> Any:
            return x + 1

    return traceonce.max_traces(2)(Traced())


def for_xla(tf: Any) -> Callable[[Any], Any]:
    return traceonce.max_traces(2)(tf.function(lambda x: x + 1, jit_compile=True))  # type: ignore[no-any-return]


def without_autograph(tf: Any) -> Callable[[Any], Any]:
    return traceonce.max_traces(2)(tf.function(lambda x: x + 1, autograph=False))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "made",
    [
        above,
        below,
        around_a_wrapper,
        method_in_the_class,
        method_of_an_object,
        partial,
        anonymous,
        callable_object,
        object_whose_call_is_traced,
        for_xla,
        without_autograph,
    ],
)
def test_whatever_is_decorated_has_its_limit(tf: Any, made: Callable[[Any], Callable[[Any], Any]]) -> None:
    step = made(tf)
    for size in (1, 2, 1, 2):
        step(tf.zeros([size]))
    assert refused(step, tf.zeros([3])).breach.limit.most == 2


def test_the_decorated_is_returned_as_it_was(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    before = dict(vars(step))
    assert traceonce.max_traces(2)(step) is step
    assert vars(step) == before

    def plain() -> None: ...

    assert traceonce.max_traces(2)(plain) is plain
    assert not vars(plain)


def test_a_hit_is_tensorflows_own_code(tf: Any) -> None:
    """After the first few runs of a graph, which are timed, nothing of ours is on the way."""
    step = traceonce.max_traces(1)(tf.function(lambda x: x + 1))
    x = tf.constant(1.0)
    for _ in range(20):
        step(x)
    files: set[str] = set()
    sys.setprofile(lambda frame, event, argument: files.add(frame.f_code.co_filename))
    try:
        step(x)
    finally:
        sys.setprofile(None)
    assert any("polymorphic_function" in file for file in files)
    assert not list(filter(is_ours, files))


def test_a_method_is_counted_for_each_object_by_itself(tf: Any) -> None:
    """TensorFlow must trace it once for each."""

    class Decorated:
        @traceonce.max_traces(2)
        @tf.function
        def step(self, x: Any) -> Any:
            return x + 1

    models = [Decorated() for _ in range(4)]
    for model in models:
        model.step(tf.zeros([1]))
        model.step(tf.zeros([2]))
        assert refused(model.step, tf.zeros([3])).breach.traces == 2


def test_closures_made_in_a_loop_are_counted_as_one(tf: Any) -> None:
    def make(k: float) -> Any:
        @traceonce.max_traces(2)
        @tf.function
        def step(x: Any) -> Any:
            return x + k

        return step

    for k in (1.0, 2.0):
        make(k)(tf.constant(1.0))
    error = refused(make(3.0), tf.constant(1.0))
    assert [(c.code.value, c.note) for c in error.breach.causes] == [("new_function", "k")]


def test_two_files_with_the_same_text_are_two(tf: Any, tmp_path: Path) -> None:
    """Python takes such code objects for equal."""
    steps = []
    for name in ("one", "two"):
        file = tmp_path / name / "step.py"
        names: dict[str, Any] = {"tf": tf, "traceonce": traceonce}
        exec(compile("@tf.function\ndef step(x):\n    return x + 1\n", str(file), "exec"), names)
        steps.append(traceonce.max_traces(1)(names["step"]))
    for step in steps:
        step(tf.zeros([1]))
        refused(step, tf.zeros([2]))


def test_a_function_that_is_written_anew_begins_anew(tf: Any) -> None:
    """A cell of a notebook that is run again: the same text at the same place, but other code."""
    names: dict[str, Any] = {"tf": tf, "traceonce": traceonce}
    cell = "@traceonce.max_traces(1)\n@tf.function\ndef step(x):\n    return x + 1\n"
    for _ in range(3):
        exec(compile(cell, "/tmp/ipykernel_1/2.py", "exec"), names)
        names["step"](tf.zeros([1]))
        refused(names["step"], tf.zeros([2]))


def test_options_of_tf_function_save_traces_and_so_the_limit(tf: Any) -> None:
    signed = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None], tf.float32)])
    relaxed = tf.function(lambda x: x + 1, reduce_retracing=True)
    traceonce.max_traces(1)(signed)
    traceonce.max_traces(2)(relaxed)
    for size in range(1, 9):
        signed(tf.zeros([size]))
        relaxed(tf.zeros([size]))
    error = refused(relaxed, tf.zeros([1, 1]))
    assert [(c.code.value, c.path) for c in error.breach.causes] == [("rank", "x.shape")]


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: traceonce.max_traces(len), TypeError, "max_traces needs a number: @traceonce.max_traces(1)"),  # type: ignore[arg-type]
        (lambda: traceonce.max_traces(1)(len), TypeError, "max_traces needs a Python function, not <built-in"),
        (lambda: traceonce.max_traces(1)(int), TypeError, "max_traces needs a Python function, not <class 'int'>"),
        (lambda: traceonce.max_traces(1)(3), TypeError, "max_traces needs a Python function, not 3"),  # type: ignore[type-var]
        (lambda: traceonce.max_traces("2"), TypeError, "max_traces must be a whole number, not '2'"),  # type: ignore[arg-type]
        (lambda: traceonce.max_traces(True), TypeError, "max_traces must be a whole number, not True"),
        (lambda: traceonce.max_traces(-1), ValueError, "max_traces must be 0 or more, not -1"),
        (lambda: traceonce.max_traces(1, warmup=-1), ValueError, "warmup must be 0 or more, not -1"),
        (lambda: traceonce.limit(1.5), TypeError, "limit must be a whole number, not 1.5"),  # type: ignore[arg-type]
        (lambda: traceonce.limit(-1), ValueError, "limit must be 0 or more, not -1"),
        (lambda: traceonce.limit(1, warmup=None), TypeError, "warmup must be a whole number, not None"),  # type: ignore[arg-type]
        (lambda: traceonce.limit(None, warmup=-1), ValueError, "warmup must be 0 or more, not -1"),
        (lambda: traceonce.limit(1, on_limit="stop"), ValueError, "on_limit must be 'raise', 'warn' or a function"),  # type: ignore[arg-type]
    ],
)
def test_wrong_use_is_said_at_once_and_leaves_nothing_behind(
    tf: Any, wrong: Callable[[], Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        wrong()
    step = tf.function(lambda x: x + 1)
    for size in range(1, 5):
        step(tf.zeros([size]))
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    assert not hasattr(tracing_compilation._create_concrete_function, "__wrapped__")
