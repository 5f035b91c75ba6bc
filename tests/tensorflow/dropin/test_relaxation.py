"""Rules 3 and 7: what varies in a shape is left open, and only that; or it is padded to a bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.noted import noted
from tests.tensorflow.dropin.paired import Maker, alike, plain, thrice


def test_rule_3_only_what_varies_is_relaxed(tf: Any) -> None:
    """At its second value, and no earlier; a rank that differs is unknown."""
    step, seen = noted(tf, traceonce.function, lambda x: x * 2.0)
    for shape in ([2, 3, 4], [5, 3, 4], [7, 3, 4], [7, 3, 9], [8, 3, 1], [2, 6]):
        for _ in range(3):
            assert plain(step(tf.ones(shape))) == plain(tf.ones(shape) * 2.0)
    assert [shape.as_list() if shape.rank is not None else None for (shape,) in seen] == [
        [2, 3, 4],
        [None, 3, 4],
        [None, 3, None],
        None,
    ]
    assert traceonce.stats(step).relaxed >= 1


def test_rule_3_each_argument_by_itself(tf: Any) -> None:
    """In nests, too; what is fixed stays fixed."""
    step, seen = noted(tf, traceonce.function, lambda x, more: x + tf.reduce_sum(more["a"][0]))
    for size in (1, 2, 3, 4):
        for _ in range(3):
            assert float(step(tf.constant(1.0), {"a": [tf.ones([size])]})) == 1.0 + size
    assert len(seen) == 2


def test_rule_3_can_be_switched_off(tf: Any) -> None:
    """Then shapes are as in tf.function."""
    step, seen = noted(tf, traceonce.function, lambda x: x * 2.0, relax=False)
    for size in (1, 2, 3, 1, 2, 3):
        step(tf.ones([size]))
    assert [shape.as_list() for (shape,) in seen] == [[1], [2], [3]]


UNRELAXABLE: dict[str, Callable[[Any, Any], Any]] = {
    "it cannot be traced": lambda tf, x: sum(x[i] for i in range(int(x.shape[0]))),
    "it returns another structure": lambda tf, x: [x] * (x.shape[0] or 7),
    "it returns another dtype": lambda tf, x: x if x.shape[0] is not None else tf.cast(x, tf.float64),
    "it gives another value": lambda tf, x: x * (2.0 if x.shape[0] is not None else 3.0),
    "it has another static shape inside": lambda tf, x: (
        x * tf.cast(tf.size(x, tf.int32), tf.float32) if x.shape.is_fully_defined() else x * 0.0
    ),
}


@pytest.mark.parametrize("why", UNRELAXABLE)
def test_rule_3_shapes_that_mean_something_stay(tf: Any, why: str) -> None:
    """A relaxed trace that is not the same is not used, and that is reported."""

    def program(function: Maker, **options: Any) -> Any:
        step = function(lambda x: UNRELAXABLE[why](tf, x), autograph=False, **options)
        return [thrice(step, tf.range(1.0, size + 1.0)) for size in (2, 3, 4, 2)]

    alike(tf, program)
    step = traceonce.function(lambda x: UNRELAXABLE[why](tf, x), autograph=False)
    for size in (2, 3, 4):
        step(tf.range(1.0, size + 1.0))
    stats = traceonce.stats(step)
    assert stats.static >= 1
    assert stats.why
    assert stats.relaxed == 0


def test_rule_3_the_shape_of_a_variable_stays(tf: Any) -> None:
    """TensorFlow opens its type but traces with the shape at hand: a relaxed trace is wrong for the next variable."""

    def program(function: Maker) -> Any:
        step = function(lambda given, x: (tf.zeros(given["v"].shape), given["v"] * x))
        variables = [tf.Variable(tf.ones([size])) for size in (1, 2, 3, 4)]
        return [[plain(step({"v": variable}, tf.constant(2.0))) for variable in variables] for _ in range(3)]

    alike(tf, program)


def test_rule_7_a_dimension_is_padded_to_a_bucket(tf: Any) -> None:
    """The body sees the buckets only."""
    options = {"pad": {"x": {0: (4, 8)}}, "relax": False}
    step, seen = noted(tf, traceonce.function, lambda x: tf.reduce_sum(x), **options)
    assert [float(step(tf.ones([size]))) for size in range(1, 9)] == [float(size) for size in range(1, 9)]
    assert [shape.as_list() for (shape,) in seen] == [[4], [8]]
