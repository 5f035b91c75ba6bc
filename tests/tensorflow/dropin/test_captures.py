"""What a body reads from outside, what it does there, and what it gives back: as `tf.function` has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tensorflow.dropin.paired import Maker, alike, plain, thrice

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
