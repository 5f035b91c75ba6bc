"""Errors read as those of `tf.function`, and their tracebacks are as short."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import traceonce
from tests.our_files import is_ours
from tests.tensorflow.dropin.paired import Maker, Raised, alike, outcome, thrice

ERRORS: dict[str, Callable[[Any, Any], Any]] = {
    "while it runs": lambda tf, step: step(tf.zeros([3]), tf.constant(7)),
    "while it runs, under a tape": lambda tf, step: under_a_tape(tf, step),
    "nothing given": lambda tf, step: step(),
    "too much given": lambda tf, step: step(1, 2, 3),
    "an unknown name": lambda tf, step: step(tf.zeros([3]), k=2),
    "given twice": lambda tf, step: step(tf.zeros([3]), tf.constant(1), x=tf.zeros([3])),
    "while it is traced": lambda tf, step: step(tf.zeros([3]), "no index"),
    "a shape that does not fit": lambda tf, step: step(tf.zeros([3]), tf.constant(1.5)),
    "no tensor can be made of it": lambda tf, step: step(object(), tf.constant(1)),
}


def under_a_tape(tf: Any, step: Any) -> Any:
    x = tf.zeros([3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        return step(x, tf.constant(7))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("warm", [False, True])
def test_errors_and_their_texts(tf: Any, error: str, warm: bool) -> None:
    """The first time and later, from a cold function and from one whose calls are hits; word for word."""

    def program(function: Maker) -> Any:
        @function
        def step(x: Any, i: Any) -> Any:
            return tf.gather(x, i)

        if warm:
            thrice(step, tf.zeros([3]), tf.constant(1))
        return thrice(ERRORS[error], tf, step), thrice(step, tf.zeros([3]), tf.constant(2))

    answers, _ = alike(tf, program)
    assert all(isinstance(answer, Raised) for answer in answers)
    if error.startswith("while it runs"):
        assert all(answer.text.startswith("Graph execution error:\n\nDetected at node") for answer in answers)


def test_an_error_of_the_body(tf: Any) -> None:
    """The user's own exception comes through, and a failed trace is tried again."""

    class MistakeError(Exception):
        pass

    def program(function: Maker) -> Any:
        attempts: list[int] = []

        @function
        def step(x: Any) -> Any:
            attempts.append(1)
            if len(attempts) < 3:
                raise MistakeError("not yet")
            return x

        return [outcome(step, tf.constant(1.0)) for _ in range(5)], len(attempts)

    alike(tf, program)


def frames(call: Callable[[], Any]) -> list[traceback.FrameSummary]:
    """The frames that the user sees of an error."""
    try:
        call()
    except Exception as error:
        return list(traceback.extract_tb(error.__traceback__))
    raise AssertionError("there was no error")


@pytest.mark.parametrize("error", ERRORS)
def test_tracebacks_are_as_short_as_tensorflows(tf: Any, error: str) -> None:
    """From the user's call to the body: one frame, which raises it again, where TensorFlow has one that does so."""

    def body(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    assert tf.debugging.is_traceback_filtering_enabled()
    theirs, ours = tf.function(body), traceonce.function(body)
    for _ in range(3):
        expected = frames(lambda: ERRORS[error](tf, theirs))
        seen = frames(lambda: ERRORS[error](tf, ours))
        assert len([frame for frame in seen if is_ours(frame.filename)]) == 1
        assert len(seen) <= len(expected)
        assert [frame.name for frame in seen if frame.filename == __file__] == [
            frame.name for frame in expected if frame.filename == __file__
        ]


def test_an_error_in_a_nested_function_names_the_users_lines_alone(tf: Any) -> None:
    """AutoGraph writes the frames between a converted body and the error into its text."""

    def program(function: Maker) -> Any:
        inner = function(lambda x: tf.reshape(x, [2, -1]), autograph=False)
        outer = function(lambda x: inner(x) + 1.0)
        return outcome(outer, tf.ones([3]))

    assert "test_errors.py" in alike(tf, program).text


def test_tracebacks_are_whole_where_filtering_is_off(tf: Any) -> None:
    """Whoever debugs this package needs its frames."""

    @traceonce.function
    def step(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    tf.debugging.disable_traceback_filtering()
    try:
        for _ in range(3):
            seen = frames(lambda: step(tf.zeros([3]), tf.constant(7)))
            assert [frame for frame in seen if is_ours(frame.filename)]
    finally:
        tf.debugging.enable_traceback_filtering()
