"""The arguments of `traceonce.function` are those of `tf.function`, and mean the same."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.doubled import double
from tests.tensorflow.dropin.paired import Maker, Raised, alike, outcome, plain, thrice


def test_every_argument_in_its_place_and_with_its_default(tf: Any) -> None:
    """What traceonce adds comes after a star, so that no position is taken."""
    theirs = list(inspect.signature(tf.function).parameters.values())
    ours = list(inspect.signature(traceonce.function).parameters.values())
    assert [(p.name, p.default, p.kind) for p in ours[: len(theirs)]] == [(p.name, p.default, p.kind) for p in theirs]
    added = {p.name: p.default for p in ours[len(theirs) :]}
    assert {p.kind for p in ours[len(theirs) :]} == {inspect.Parameter.KEYWORD_ONLY}
    assert added == {
        "keep": 64,
        "limit": 1000,
        "on_limit": "raise",
        "relax": True,
        "lift": True,
        "pad": None,
        "true_length": None,
        "unpad": None,
    }


WAYS_TO_DECORATE: dict[str, Callable[[Maker], Any]] = {
    "bare": lambda function: function(double),
    "named": lambda function: function(func=double),
    "empty parentheses": lambda function: function()(double),
    "options": lambda function: function(autograph=False)(double),
    "positional options": lambda function: function(None, None, False)(double),
    "function and options": lambda function: function(double, reduce_retracing=True),
    "function and positional options": lambda function: function(double, None, False, None, True),
}


@pytest.mark.parametrize("way", WAYS_TO_DECORATE)
def test_with_and_without_parentheses(tf: Any, way: str) -> None:
    """Each gives a function that knows its name, its text and its signature."""

    def program(function: Maker) -> Any:
        made = WAYS_TO_DECORATE[way](function)
        seen = thrice(made, tf.constant([1.0, 2.0]))
        return seen, made.__name__, made.__doc__, str(inspect.signature(made)), made.python_function is double

    alike(tf, program)


def test_an_input_signature(tf: Any) -> None:
    """One trace; conversions, refusals and their texts are TensorFlow's."""

    def program(function: Maker) -> Any:
        @function(input_signature=[tf.TensorSpec([None, 2], tf.float32), {"k": tf.TensorSpec([], tf.int32)}])
        def step(x: Any, more: Any) -> Any:
            return tf.reduce_sum(x) * tf.cast(more["k"], tf.float32)

        k = {"k": tf.constant(3)}
        answers = [thrice(step, tf.ones([rows, 2]), k) for rows in (1, 2, 3)]
        answers += [
            thrice(step, x, more)
            for x, more in [
                (np.ones([2, 2]), k),
                ([[1, 2]], {"k": 5}),
                (tf.ones([2, 3]), k),
                (tf.ones([2, 2], tf.float64), k),
                (tf.ones([1, 2]), {"k": 2.5}),
                (tf.ones([1, 2]), {"k": tf.constant(1), "j": tf.constant(1)}),
                (tf.ones([1, 2]), None),
            ]
        ]
        return answers, step.experimental_get_tracing_count(), step.input_signature

    alike(tf, program)


def test_a_signature_with_defaults_and_keywords(tf: Any) -> None:
    """A parameter beyond the signature is frozen at its default."""

    def program(function: Maker) -> Any:
        @function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])
        def step(x: Any, scale: Any = 2.0, times: int = 3) -> Any:
            return x * scale * times

        x = tf.ones([2])
        return [
            thrice(step, x),
            thrice(step, x, 5.0),
            thrice(step, x, scale=tf.constant(7.0)),
            thrice(step, scale=1.0, x=x),
            thrice(step, x, 5.0, 4),
            step.experimental_get_tracing_count(),
        ]

    alike(tf, program)


def test_without_autograph(tf: Any) -> None:
    """A branch on a tensor fails, with TensorFlow's text, time and again."""

    def program(function: Maker) -> Any:
        def positive(x: Any) -> Any:
            return x if x > 0.0 else -x

        return [thrice(function(positive, autograph=use), tf.constant(x)) for use in (False, True) for x in (2.0, -2.0)]

    alike(tf, program)


def test_autograph_options(tf: Any) -> None:
    """With this feature an assertion about a tensor is checked when the graph runs."""

    def program(function: Maker) -> Any:
        @function(experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
        def step(x: Any) -> Any:
            assert x > 0.0, "must be positive"
            return x

        return thrice(step, tf.constant(1.0)), thrice(step, tf.constant(-1.0))

    alike(tf, program)


def test_jit_compile(tf: Any) -> None:
    """The attribute is in the graph, and XLA's text can be had."""

    def program(function: Maker) -> Any:
        answers = []
        for options in ({"jit_compile": True}, {"jit_compile": False}, {"experimental_compile": True}, {}):
            step = function(lambda x: x * 2.0 + 1.0, **options)
            definition = step.get_concrete_function(tf.constant([1.0])).function_def
            attributes = {name: value.b for name, value in definition.attr.items() if "Xla" in name}
            text = outcome(lambda step=step: "HloModule" in step.experimental_get_compiler_ir(tf.ones([1]))())
            answers.append((attributes, text, thrice(step, tf.constant([1.0]))))
        return answers, outcome(function, double, jit_compile=True, experimental_compile=True)

    alike(tf, program)


def test_reduce_retracing_is_tensorflows_own_where_ours_is_off(tf: Any) -> None:
    """Without relaxing and lifting there are exactly as many traces."""
    strict = functools.partial(traceonce.function, relax=False, lift=False)

    def program(function: Maker, **options: Any) -> Any:
        step = function(lambda x, k: tf.reduce_sum(x) * k, **options)
        answers = [plain(step(tf.ones([size]), k)) for size in (1, 2, 3, 2) for k in (2.0, 3.0)]
        return answers, step.experimental_get_tracing_count()

    for options in ({}, {"reduce_retracing": True}, {"experimental_relax_shapes": True}):
        assert program(strict, **options) == program(tf.function, **options)


def test_implements_and_attributes(tf: Any) -> None:
    """Both land in the function's definition; a variable is passed as its value there."""

    def program(function: Maker) -> Any:
        named = function(lambda x, y: x * y, experimental_implements="org.sample")
        marked = function(double, experimental_attributes={"api_implements": "sample", "_noinline": True})
        variable = tf.Variable(3.0)
        answers = thrice(named, variable, tf.constant(2.0)), thrice(marked, tf.constant(2.0))
        concrete = named.get_concrete_function(variable, tf.constant(2.0)), marked.get_concrete_function(tf.constant(1))
        attributes = [
            {name: (value.s, value.b) for name, value in one.function_def.attr.items() if not name.startswith("_input")}
            for one in concrete
        ]
        return answers, attributes, outcome(function, double, experimental_attributes={"unheard": 1})

    alike(tf, program)


def test_arguments_that_are_refused(tf: Any) -> None:
    """The same errors in the same words."""

    def program(function: Maker) -> Any:
        return [
            outcome(function, double, input_signature=3),
            outcome(function, double, input_signature=[3]),
            outcome(function, lambda **kw: None, input_signature=[tf.TensorSpec([])]),
            outcome(function, 3),
            outcome(lambda: function(double, experimental_follow_type_hints=True)(tf.constant(1)).numpy()),
        ]

    alike(tf, program)
    unknown = outcome(traceonce.function, double, bogus=1)
    assert isinstance(unknown, Raised)
    assert unknown.kind is TypeError
    assert "bogus" in unknown.text
