"""Rules 1, 2 and 6: which calls share a trace, which trace is found, and how many are kept."""

from __future__ import annotations

import dataclasses
import decimal
import enum
import fractions
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.noted import Pair, noted
from tests.tensorflow.dropin.paired import Maker, alike, outcome, plain, thrice


class Colour(enum.IntEnum):
    RED = 1


def test_rule_1_a_call_whose_key_was_seen_runs_at_once(tf: Any) -> None:
    """One trace and four hits."""
    step, seen = noted(tf, traceonce.function, lambda x, k: x * k)
    answers = [float(step(tf.constant(2.0), 3.0)) for _ in range(5)]
    assert answers == [6.0] * 5
    assert len(seen) == 1
    stats = traceonce.stats(step)
    assert (stats.traces, stats.hits, stats.kept, stats.fallbacks) == (1, 4, 1, 0)


def test_rule_1_one_true_and_one_point_zero_are_three_things(tf: Any) -> None:
    """By design not as in tf.function, where whoever comes first answers for all of them."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k: x * 10 + {int: 1, bool: 2, float: 3, Colour: 4}[type(k)])
        return [int(step(tf.constant(0), k)) for _ in range(3) for k in (1, True, 1.0, Colour.RED)]

    assert program(tf.function) == [1, 1, 1, 1] * 3
    assert program(traceonce.function) == [1, 2, 3, 4] * 3


def test_rule_1_so_are_they_in_nests_defaults_and_keywords(tf: Any) -> None:
    """Wherever a number may stand."""

    @traceonce.function
    def step(x: Any, more: Any = None, *, k: Any = 1) -> Any:
        kinds = [type(number).__name__ for number in (*tf.nest.flatten(more), k)]
        return tf.constant(" ".join(kinds)), x

    for _ in range(3):
        for k in (1, True, 1.0):
            for more in ([1, {"a": True}], [1.0, {"a": True}], [1, {"a": 1}], (1, {"a": True})):
                expected = " ".join(type(number).__name__ for number in (*tf.nest.flatten(more), k))
                assert step(tf.constant(0), more, k=k)[0].numpy().decode() == expected
        assert step(tf.constant(0))[0].numpy().decode() == "NoneType int"


KEYS: dict[str, Callable[[Any], list[Any]]] = {
    "structure": lambda tf: [[1, 2], (1, 2), {"a": 1}, {"b": 1}, [[1], 2], [], (), {}, None, Pair(1, 2)],
    "dtype": lambda tf: [tf.cast(1, dtype) for dtype in (tf.int32, tf.int64, tf.float32, tf.float64, tf.bool)],
    "shape": lambda tf: [tf.ones(shape) for shape in ([], [1], [2], [1, 1], [2, 1], [0], [1, 0])],
    "text": lambda tf: ["1", b"1", "", b"", "True", np.str_("1")],
    "numbers": lambda tf: [0, 0.0, -0.0, False, 1, 1.0, True, 1j, 2**40, -1, 1e300, Colour.RED],
    "other numbers": lambda tf: [fractions.Fraction(1), 1, decimal.Decimal(1), fractions.Fraction(2)],
    "arrays": lambda tf: [np.ones([2], dtype) for dtype in ("f4", "f8", "i4", "i8", "?", "c8")],
    "byte order and strides": lambda tf: [np.arange(4, dtype=">f4"), np.arange(8, dtype="f4")[::2], np.float32(3)],
    "strings": lambda tf: [np.array(["a", "b"]), np.array([b"a"], object), tf.constant("a"), np.array("a")],
    "types": lambda tf: [tf.float32, tf.int32, tf.TensorShape([1]), tf.TensorShape(None), int, float],
    "mappings": lambda tf: [
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        {"a": 2, "b": 1},
        {"a": 1},
        {1: 1, 2: 2},
    ],
}


@pytest.mark.parametrize("kind", KEYS)
def test_rule_1_every_part_of_the_key(tf: Any, kind: str) -> None:
    """Each argument gives its own answer, in turns, so that a key that is too coarse answers with another one's."""

    def describe(thing: Any) -> str:
        return f"{type(thing).__name__} {getattr(thing, 'dtype', '')} {thing if not hasattr(thing, 'dtype') else ''}"

    @traceonce.function(relax=False, lift=False)
    def step(argument: Any) -> Any:
        parts = [describe(part) for part in tf.nest.flatten(argument)]
        shape = getattr(argument, "shape", "")
        return tf.constant(f"{type(argument).__name__} {shape} {parts}"), tf.nest.flatten(argument)

    def eagerly(argument: Any) -> Any:
        fresh = tf.function(step.python_function)  # nothing was traced before: it cannot confuse
        return fresh(argument)

    arguments = KEYS[kind](tf)
    expected = [outcome(eagerly, argument) for argument in arguments]
    for _ in range(3):
        assert [outcome(step, argument) for argument in arguments] == expected


def test_rule_1_zeros_and_nan(tf: Any) -> None:
    """-0.0 is not 0.0; and nan is nan, though it is not equal to itself."""
    for lift in (False, True):
        step, seen = noted(tf, traceonce.function, lambda k: 1.0 / tf.constant(k), lift=lift)
        for _ in range(3):
            assert [float(step(k)) for k in (0.0, -0.0)] == [np.inf, -np.inf]
        assert len(seen) == (3 if lift else 2)
        assert np.isnan(float(step(float("nan"))))
        traced = len(seen)
        for _ in range(3):
            assert np.isnan(float(step(float("nan"))))
        assert len(seen) == traced


def test_rule_1_an_object_with_a_tracing_type(tf: Any) -> None:
    """What the protocol says is alike shares a trace; also where the objects are not equal."""

    class Kind(tf.types.experimental.TraceType):
        def __init__(self, name: str) -> None:
            self.name = name

        def is_subtype_of(self, other: Any) -> bool:
            return self == other

        def most_specific_common_supertype(self, others: Any) -> Any:
            return self if all(self == other for other in others) else None

        def placeholder_value(self, context: Any = None) -> Any:
            return Fruit(self.name)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Kind) and self.name == other.name

        def __hash__(self) -> int:
            return hash(self.name)

    class Fruit:
        def __init__(self, name: str) -> None:
            self.name = name

        def __tf_tracing_type__(self, context: Any) -> Any:
            return Kind(self.name)

    def program(function: Maker) -> Any:
        step, seen = noted(tf, function, lambda x, fruit: x * float(len(fruit.name)))
        answers = [thrice(lambda name=name: step(tf.constant(2.0), Fruit(name))) for name in ("apple", "fig", "apple")]
        return answers, len(seen)

    assert alike(tf, program)[1] == 2


def test_rule_1_an_object_is_known_by_equality_or_by_identity(tf: Any) -> None:
    """Equal ones share a trace, others are told apart."""

    @dataclasses.dataclass(frozen=True)
    class Config:
        scale: float

    class Plain:
        def __init__(self, scale: float) -> None:
            self.scale = scale

    def program(function: Maker) -> Any:
        step, seen = noted(tf, function, lambda x, config: x * config.scale)
        configs = [Config(2.0), Config(2.0), Config(3.0), Plain(4.0), Plain(5.0), Plain(4.0)]
        return [[plain(step(tf.constant(1.0), config)) for config in configs] for _ in range(3)], len(seen)

    assert alike(tf, program)[1] == 5


def test_rule_1_the_graph_the_strategy_and_tapes(tf: Any) -> None:
    """A call in another surrounding does not take a trace that was not made for it."""

    def program(function: Maker) -> Any:
        strategy = tf.distribute.OneDeviceStrategy("CPU:0")
        step = function(lambda x: x * float(tf.distribute.has_strategy() + 2))
        x = tf.constant(1.0)

        def with_strategy() -> Any:
            with strategy.scope():
                return step(x)

        def with_tape() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = step(x)
            return tape.gradient(y, x)

        def in_a_graph() -> Any:
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                return session.run(step(tf.constant(1.0)))

        return [outcome(way) for _ in range(3) for way in (lambda: step(x), with_strategy, with_tape, in_a_graph)]

    alike(tf, program)


def test_rule_2_a_wider_trace_is_used_and_remembered(tf: Any) -> None:
    """One made by hand here, and one that relaxing made."""
    step, seen = noted(tf, traceonce.function, lambda x: tf.reduce_sum(x))
    step.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert [float(step(tf.ones([size]))) for size in (1, 2, 3, 1, 2, 3)] == [1.0, 2.0, 3.0] * 2
    assert len(seen) == 1
    assert traceonce.stats(step).hits >= 3

    step, seen = noted(tf, traceonce.function, lambda x: tf.reduce_sum(x))
    assert [float(step(tf.ones([size]))) for size in (1, 2, 3, 4, 5)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert len(seen) == 2


def test_rule_6_the_least_recently_used_goes(tf: Any) -> None:
    """A hit counts as use."""
    step, seen = noted(tf, traceonce.function, lambda x: x * 2.0, keep=2, relax=False)
    for size in (1, 2, 1, 1, 3, 1, 2):
        assert plain(step(tf.ones([size]))) == plain(tf.ones([size]) * 2.0)
    assert [shape.as_list()[0] for (shape,) in seen] == [1, 2, 3, 2]
    stats = traceonce.stats(step)
    assert (stats.kept, stats.evicted, stats.traces) == (2, 2, 4)
    assert step.experimental_get_tracing_count() == 2


def test_rule_6_eviction_frees_memory(tf: Any) -> None:
    """The graphs are gone after a collection, also those with gradients; so the key tables let go of them."""
    graphs: list[weakref.ref[Any]] = []

    @traceonce.function(keep=3, relax=False, lift=False)
    def step(x: Any, k: float) -> Any:
        graphs.append(weakref.ref(x.graph))
        return x * k

    for size in range(1, 9):
        x = tf.ones([size])
        for _ in range(2):
            step(x, 2.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = step(x, 3.0)
            tape.gradient(y, x)
    del tape, x, y
    gc.collect()
    assert len(graphs) == 16
    assert sum(graph() is not None for graph in graphs) <= 3
    assert traceonce.stats(step).kept == 3


def test_rule_6_keys_are_bounded_too(tf: Any) -> None:
    """One wide trace, thousands of shapes: what is remembered of them does not grow without end."""
    step = traceonce.function(lambda x: tf.size(x))
    sizes = [tf.zeros([1, size], tf.bool) for size in range(1, 7000)]
    for x in sizes[:5000]:
        step(x)
    gc.collect()
    before = len(gc.get_objects())
    for x in sizes[5000:]:
        step(x)
    gc.collect()
    assert traceonce.stats(step).kept <= 2
    assert len(gc.get_objects()) - before < 1000
