"""The rules by which `traceonce.function` decides, one by one, and the traps on the way.

A body notes what it is traced with, so that traces are counted by what Python did, not by what is claimed.
"""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import fractions
import functools
import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest

import traceonce
from tests.tensorflow.paired import Maker, alike, outcome, plain, thrice


def noted(tf: Any, function: Maker, body: Callable[..., Any], **options: Any) -> tuple[Any, list[Any]]:
    """A function over this body, and a list of what it was traced with: the shapes of tensors, and other values."""
    seen: list[Any] = []

    @function(**{"autograph": False, **options})
    @functools.wraps(body)
    def step(*args: Any, **kwargs: Any) -> Any:
        seen.append([arg.shape if hasattr(arg, "shape") else arg for arg in (*args, *kwargs.values())])
        return body(*args, **kwargs)

    return step, seen


class Colour(enum.IntEnum):
    RED = 1


class Mode(str, enum.Enum):
    A = "a"


class Pair(NamedTuple):
    a: Any
    b: Any


# --- rule 1


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


# --- rule 2


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


# --- rule 3


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


# --- rule 4


def test_rule_4_a_number_that_varies_becomes_a_tensor(tf: Any) -> None:
    """Three traces, whatever comes: for the old value, for the new one, and the lifted one, compared with both."""
    for values in ((1, 2, 3, 4, 5, -6), (0.5, 0.25, 0.125, 3.0, -1.0)):
        step, seen = noted(tf, traceonce.function, lambda x, k: x * k)
        x = tf.constant(3, tf.int32 if isinstance(values[0], int) else tf.float32)
        answers = [step(x, k).numpy().item() for k in values for _ in range(3)]
        assert answers == [3 * k for k in values for _ in range(3)]
        assert len(seen) == 4
        assert traceonce.stats(step).lifted == 1


def test_rule_4_bools_and_strings_stay(tf: Any) -> None:
    """As in tf.function: one trace for each."""

    def program(function: Maker) -> Any:
        step, seen = noted(tf, function, lambda x, flag, mode: x + 1.0 if flag and mode == "a" else x)
        calls = [(flag, mode) for flag in (True, False) for mode in ("a", "b", "c")]
        return [[plain(step(tf.constant(1.0), *call)) for call in calls] for _ in range(3)], len(seen)

    assert alike(tf, program)[1] == 6


def test_rule_4_can_be_switched_off(tf: Any) -> None:
    """Then numbers are as in tf.function."""
    step, seen = noted(tf, traceonce.function, lambda x, k: x * k, lift=False)
    for k in (1.0, 2.0, 3.0, 1.0, 2.0, 3.0):
        step(tf.constant(1.0), k)
    assert len(seen) == 3


def test_rule_4_a_function_with_state(tf: Any) -> None:
    """It must not be run to be compared: each call changes the variable once."""

    def program(function: Maker) -> Any:
        total = tf.Variable(0.0)
        step = function(lambda x, k: total.assign_add(x * k))
        answers = [plain(step(tf.constant(1.0), float(k))) for k in range(1, 8)]
        return answers, total

    alike(tf, program)
    total = tf.Variable(0.0)
    step, seen = noted(tf, traceonce.function, lambda x, k: total.assign_add(x * k))
    for k in range(1, 8):
        step(tf.constant(1.0), float(k))
    assert len(seen) == 4
    assert traceonce.stats(step).lifted == 1


def test_side_effects_of_comparing_are_not_seen(tf: Any, tmp_path: Path) -> None:
    """Rules 3 and 4 may run a graph to compare it. Host, queue, iterator, file and state see each call once."""

    def program(function: Maker) -> Any:
        printed = tmp_path / str(function is tf.function)
        host: list[float] = []
        generator = tf.random.Generator.from_seed(3)
        queue = tf.queue.FIFOQueue(50, [tf.float32], [[]])
        iterator = iter(tf.data.Dataset.range(50))
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, default_value=0.0)
        total = tf.Variable(0.0)

        def through_the_host(x: Any, k: float) -> Any:
            return tf.numpy_function(lambda value: (host.append(float(value[0])), value)[1], [x * k], tf.float32)

        def through_a_queue(x: Any, k: float) -> Any:
            queue.enqueue(tf.reduce_sum(x) * k)
            return x * k

        def from_an_iterator(x: Any, k: float) -> Any:
            return tf.cast(next(iterator), tf.float32) + x * k

        def into_a_file(x: Any, k: float) -> Any:
            tf.print(tf.reduce_sum(x) * k, output_stream=f"file://{printed}")
            return x * k

        def into_a_table(x: Any, k: float) -> Any:
            key = tf.constant(["calls"])
            table.insert(key, table.lookup(key) + 1.0)
            return x * k

        def at_random(x: Any, k: float) -> Any:
            return generator.uniform([]) * x * k

        def into_a_variable(x: Any, k: float) -> Any:
            total.assign_add(tf.reduce_sum(x) * k)
            return x * k + total

        bodies = [through_the_host, through_a_queue, from_an_iterator, into_a_file, into_a_table, at_random]
        answers = []
        for body in [*bodies, into_a_variable]:
            step = function(body)
            calls = [(1, float(k)) for k in (1, 2, 3, 4, 1)] + [(size, 2.0) for size in (1, 2, 3, 4, 1)]
            answers += [outcome(step, tf.ones([size]), k) for size, k in calls]
        queued = queue.dequeue_many(queue.size())
        return answers, host, queued, next(iterator), printed.read_text(), table.export()[1], generator.state, total

    alike(tf, program)


# Each of these looks like a number that can be a tensor, and most are not; the answers must be those of tf.function.
TRAPS: dict[str, tuple[Callable[[Any, Any, Any], Any], tuple[Any, ...]]] = {
    "isinstance": (lambda tf, x, k: x + (10 if isinstance(k, int) else 0) + k, (1, 2, 3, 4)),
    "type": (lambda tf, x, k: x * (2 if type(k) is int else 3), (1, 2, 3, 4)),
    "whole numbers wrap in a tensor": (lambda tf, x, k: x + (k * 1103515245) % 97, (1, 2, 3, 7, 100)),
    "a power": (lambda tf, x, k: x + (k**20) % 1000, (1, 2, 3, 5, 9)),
    "a shift": (lambda tf, x, k: x + ((1 << k) % 1000), (1, 2, 30, 31, 40)),
    "larger than 32 bits": (lambda tf, x, k: tf.cast(x, tf.int64) + k, (1, 2, 3, 2**31, 2**40, -(2**40), 4)),
    "larger than 64 bits": (lambda tf, x, k: x + k % 7, (1, 2, 3, 2**70, 4)),
    "floor division": (lambda tf, x, k: x + k // 2 + (-k) // 2 + (-k) % 3, (1, 2, 3, -5, 7)),
    "true division": (lambda tf, x, k: tf.cast(x, tf.float64) + k / 3, (1, 2, 3, 4)),
    "weak typing": (lambda tf, x, k: tf.cast(x, tf.float32) * k, (1, 2, 3, 4)),
    "both types": (lambda tf, x, k: tf.cast(x, tf.float32) * k + tf.reduce_sum(tf.ones([k])), (1, 2, 3, 4)),
    "a shape": (lambda tf, x, k: tf.ones([k]) * 2.0, (1, 2, 3, 4)),
    "a list": (lambda tf, x, k: [x] * k, (1, 2, 3, 4)),
    "an index of a list": (lambda tf, x, k: [x, x + 1, x + 2, x + 3, x + 4][k], (1, 2, 3, 4)),
    "a key": (lambda tf, x, k: x + {1: 10, 2: 20}.get(k, 30), (1, 2, 3, 4)),
    "a text": (lambda tf, x, k: tf.constant(f"{k}"), (1, 2, 3, 4)),
    "a branch": (lambda tf, x, k: x + 1 if k > 2 else x - 1, (1, 2, 3, 4, 1)),
    "a branch far away": (lambda tf, x, k: x + 1 if k > 50 else x - 1, (1, 2, 3, 99, 1)),
    "membership": (lambda tf, x, k: x + (1 if k in (1, 4) else 0), (1, 2, 3, 4)),
    "truth": (lambda tf, x, k: x + 1 if k else x, (1, 2, 3, 0, 4)),
    "a range": (lambda tf, x, k: x + sum(range(k)), (1, 2, 3, 6)),
    "min and max": (lambda tf, x, k: x + max(k, 3) - min(k, 2), (1, 2, 3, 9)),
    "rounding": (lambda tf, x, k: x + round(k / 3), (1, 2, 3, 4, 5)),
    "bits": (lambda tf, x, k: x + (k & 3) + (k | 8) + (k ^ 5) + ~k, (1, 2, 3, 9)),
    "NumPy": (lambda tf, x, k: x + int(np.sqrt(k)), (1, 2, 3, 9)),
    "an unused number": (lambda tf, x, k: x + 1, (1, 2, 3, 9)),
    "a literal that is returned": (lambda tf, x, k: (x, k), (1, 2, 3, 9)),
    "an axis": (lambda tf, x, k: tf.reduce_sum(tf.ones([2, 3, 4]), axis=k), (0, 1, 2, -1)),
    "a slice": (lambda tf, x, k: tf.range(10)[:k], (1, 2, 3, 9)),
    "one-hot": (lambda tf, x, k: tf.one_hot([0, 1], k), (1, 2, 3, 9)),
    "a split": (lambda tf, x, k: tf.split(tf.ones([12]), k), (1, 2, 3, 4)),
    "a float that folds": (lambda tf, x, k: tf.cast(x, tf.float32) * (k * 0.5), (0.5, 0.25, 2.0, 8.0)),
    "a float beyond float32": (lambda tf, x, k: tf.cast(x, tf.float64) * k, (0.1, 0.2, 0.3, 1e300)),
    "a float that is infinite": (lambda tf, x, k: tf.cast(x, tf.float32) * k, (1.0, 2.0, np.inf, -np.inf, np.nan)),
    "a float too large for float32": (lambda tf, x, k: tf.cast(x, tf.float32) + (k - k), (1.0, 2.0, 3.0, 1e39)),
    "a float compared": (lambda tf, x, k: x + (1 if k == 0.1 else 0), (0.1, 0.2, 0.3, 0.1)),
    "a float that is whole": (lambda tf, x, k: x + (1 if float(k).is_integer() else 0), (0.5, 1.0, 2.0, 0.25)),
    "an int for a half": (lambda tf, x, k: tf.cast(x, tf.float16) * k, (1, 2, 3, 4096)),
    "an int for a byte": (lambda tf, x, k: tf.cast(x, tf.uint8) + k, (1, 2, 3, 200, 300, -1)),
    "a negative one for unsigned": (lambda tf, x, k: tf.cast(x, tf.uint32) + k, (1, 2, 3, -1)),
    "an int for a bool": (lambda tf, x, k: tf.cast(k, tf.bool), (1, 2, 0, 3)),
    "an int beside 2**24": (lambda tf, x, k: tf.cast(x, tf.float32) * 0.0 + k, (1, 2, 3, 2**24 + 1)),
    "state": (lambda tf, x, k: tf.Variable(1) if k > 9 else x * k, (1, 2, 3, 4)),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_rule_4_traps(tf: Any, trap: str) -> None:
    """Whether it is lifted or not, the answers are those of tf.function, also for numbers far from the first ones."""
    body, values = TRAPS[trap]

    def program(function: Maker) -> Any:
        step = function(lambda x, k: body(tf, x, k), autograph=False)
        return [thrice(step, tf.constant(7), k) for k in values]

    alike(tf, program)


def test_rule_4_traps_with_autograph(tf: Any) -> None:
    """It turns Python's control flow on a tensor into a graph's, so that more can be lifted, or seems so."""

    def branch(x: Any, k: Any) -> Any:
        if k > 50:
            return x + 1
        return x - 1

    def early(x: Any, k: Any) -> Any:
        if k == 99:
            raise ValueError("99 is not allowed")
        return x + k

    def loop(x: Any, k: Any) -> Any:
        for i in range(k):
            x = x + i
        return x

    def truth(x: Any, k: Any) -> Any:
        return x + 1 if k and k != 2 else x

    def conversions(x: Any, k: Any) -> Any:
        return x + int(k) + max(k, 3) - min(k, 2) + abs(-k) + len(range(k))

    def bound(x: Any, k: Any) -> Any:
        assert k < 50, "too many"
        while k > 2:
            k = k - 1
            x = x * 2
        return x

    def unbound(x: Any, k: Any) -> Any:
        if k > 2:
            y = x
        return y + 1

    def program(function: Maker) -> Any:
        steps = [function(body) for body in (branch, early, loop, truth, conversions, bound, unbound)]
        return [[thrice(step, tf.constant(7), k) for k in (1, 2, 3, 99, 0, 4)] for step in steps]

    alike(tf, program)


@pytest.mark.parametrize("trap", ["isinstance", "type", "a list", "an index of a list", "a key", "NumPy", "a split"])
def test_rule_4_what_stays_static_stays_so_for_good(tf: Any, trap: str) -> None:
    """It is tried once and not again; `why` names the argument."""
    body, _ = TRAPS[trap]
    step = traceonce.function(lambda x, k: body(tf, x, k), autograph=False)
    for k in (1, 2, 3):
        step(tf.constant(7), k)
    before = traceonce.stats(step)
    step(tf.constant(7), 4)
    after = traceonce.stats(step)
    assert (after.traces, after.trials) == (before.traces + 1, before.trials)
    assert (after.lifted, after.static) == (0, 1)
    assert [sentence for sentence in after.why if sentence.startswith("k: ")]


def test_rule_4_a_learning_rate_that_folds(tf: Any) -> None:
    """`lr * 0.1` is computed by Python in double precision; what a lifted trace gives is as near as float32 is."""
    step, reference = (make(lambda x, lr: x * (lr * 0.1)) for make in (traceonce.function, tf.function))
    x = tf.constant([1.0, 3.0, 1e-3])
    for lr in (0.1, 0.05, 0.025, 0.7, 1e-5, 0.1):
        np.testing.assert_allclose(step(x, lr), reference(x, lr), rtol=3e-7, atol=0)


def test_rule_4_shape_and_number_together(tf: Any) -> None:
    """Four traces; the number is compared at one shape."""
    step, seen = noted(tf, traceonce.function, lambda x, k: tf.reduce_sum(x) * k)
    calls = [(size, float(size * 2)) for size in range(1, 9)]
    assert [float(step(tf.ones([size]), k)) for size, k in calls * 2] == [size * k for size, k in calls * 2]
    assert len(seen) <= 5


def test_rule_4_a_trap_at_another_shape(tf: Any) -> None:
    """A number that may be lifted at one shape may not at the next."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k: x * k if x.shape[0] == 1 else x + (5.0 if isinstance(k, float) else 0.0) * k)
        return [thrice(step, tf.ones([size]), k) for size in (1, 2) for k in (1.0, 2.0, 3.0, 4.0)]

    alike(tf, program)


def test_rule_4_a_trap_in_a_branch_that_is_not_taken(tf: Any) -> None:
    """Running both traces on the data at hand says nothing about the other side of a `tf.cond`."""

    def program(function: Maker) -> Any:
        @function
        def step(x: Any, k: float) -> Any:
            if x > 100.0:
                return x * (2.0 if isinstance(k, float) else 3.0)
            return x * k

        return [thrice(step, tf.constant(x), k) for x in (1.0, 200.0) for k in (1.0, 2.0, 3.0, 4.0)]

    alike(tf, program)


def test_rule_4_two_numbers_one_of_which_cannot(tf: Any) -> None:
    """Each is decided by itself: the step is lifted, the number of layers is not."""
    step, seen = noted(tf, traceonce.function, lambda x, rate, layers: sum([x * rate] * layers))
    answers = [float(step(tf.constant(1.0), rate, 2)) for rate in (0.5, 0.25, 0.125, 1.0, 2.0)]
    assert answers == [1.0, 0.5, 0.25, 2.0, 4.0]
    assert len(seen) == 4
    answers = [float(step(tf.constant(1.0), rate, layers)) for layers in (3, 4) for rate in (0.5, 0.25, 0.125, 1.0)]
    assert answers == [1.5, 0.75, 0.375, 3.0, 2.0, 1.0, 0.5, 4.0]


def test_rule_4_numbers_in_nests_and_keywords(tf: Any) -> None:
    """Wherever they stand, they are lifted."""
    step, seen = noted(tf, traceonce.function, lambda x, more, *, k=1.0: x * more["rates"][0] * k)
    for number in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert float(step(tf.constant(2.0), {"rates": [number]}, k=0.5)) == number
    assert len(seen) == 4
    for number in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert float(step(tf.constant(2.0), {"rates": [1.0]}, k=number)) == 2.0 * number


# --- rule 5


def test_rule_5_equal_objects_share_a_trace_when_the_first_is_gone(tf: Any) -> None:
    """Five temporaries: one trace here, five in tf.function."""

    @dataclasses.dataclass(frozen=True)
    class Config:
        scale: float

    def traces(function: Maker) -> int:
        bodies: list[str] = []

        @function
        def step(x: Any, config: Config) -> Any:
            bodies.append("traced")
            return x * config.scale

        for _ in range(5):
            assert float(step(tf.constant(2.0), Config(3.0))) == 6.0
        return len(bodies)

    assert traces(traceonce.function) == 1
    assert traces(tf.function) == 5


def test_rule_5_temporaries_with_the_same_content_share_a_trace(tf: Any) -> None:
    """Lambdas, partials and bound methods that are made for each call."""

    class Model:
        factor = 3.0

        def scale(self, x: Any) -> Any:
            return x * self.factor

    model = Model()
    makers: list[Callable[[], Callable[[Any], Any]]] = [
        lambda: lambda x: x * 3.0,
        lambda: functools.partial(lambda factor, x: x * factor, 3.0),
        lambda: model.scale,
    ]
    for make in makers[::2]:
        step, seen = noted(tf, traceonce.function, lambda x, apply: apply(x))
        for _ in range(5):
            assert float(step(tf.constant(2.0), make())) == 6.0
        assert len(seen) == 1
    body = makers[1]().func  # type: ignore[attr-defined]
    step, seen = noted(tf, traceonce.function, lambda x, apply: apply(x))
    for _ in range(5):
        assert float(step(tf.constant(2.0), functools.partial(body, 3.0))) == 6.0
    assert len(seen) == 1


def test_rule_5_temporaries_with_another_content_do_not(tf: Any) -> None:
    """What they capture, their defaults, their arguments, their object: each makes another function."""

    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Model)

        def __hash__(self) -> int:
            return 1

        def scale(self, x: Any) -> Any:
            return x * self.factor

    def closure(k: float) -> Callable[[Any], Any]:
        return lambda x: x * k

    def default(k: float) -> Callable[[Any], Any]:
        return lambda x, k=k: x * k

    def keyword(k: float) -> Callable[[Any], Any]:
        def scale(x: Any, *, k: float = k) -> Any:
            return x * k

        return scale

    def deeper(k: float) -> Callable[[Any], Any]:
        inner = closure(k)
        return lambda x: inner(x)

    def in_a_list(k: float) -> Callable[[Any], Any]:
        box = [k]
        return lambda x: x * box[0]

    def in_other_globals(k: float) -> Callable[[Any], Any]:
        names: dict[str, Any] = {"k": k}
        exec("made = lambda x: x * k", names)
        made: Callable[[Any], Any] = names["made"]
        return made

    def product(a: Any, b: Any, x: Any) -> Any:
        return a * b * x

    makers: list[Callable[[float], Callable[[Any], Any]]] = [
        closure,
        default,
        keyword,
        deeper,
        in_a_list,
        lambda k: functools.partial(product, k, 1.0),
        lambda k: functools.partial(product, 1.0, k),
        lambda k: functools.partial(closure(k)),
        lambda k: functools.partial(product, tf.constant(float(k)), 1.0),
        lambda k: functools.partial(product, np.float32(k), 1.0),
        lambda k: Model(k).scale,
        in_other_globals,
    ]
    for make in makers:
        step = traceonce.function(lambda x, apply: apply(x), autograph=False)
        for k in (2.0, 3.0, 2.0, True, 1.0, 4.0, 3.0):
            assert float(step(tf.constant(1.0), make(k))) == float(k), make


FACTOR = 1.0


def test_rule_5_what_a_temporary_looks_up_may_have_changed(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """tf.function traces a new lambda anew, and so sees what it captures, and what is global, as it is now."""

    def program(function: Maker) -> Any:
        step = function(lambda x, apply: apply(x), autograph=False)
        one = tf.constant(1.0)
        numbers, array = [0.0], np.zeros([], np.float32)
        answers = []
        for k in (2.0, 3.0, 2.0):
            numbers[0] = k
            array[...] = k
            monkeypatch.setitem(globals(), "FACTOR", k)
            fresh = [lambda x: x * numbers[0], lambda x: x * array, lambda x: x * FACTOR]
            answers.append([float(step(one, apply)) for apply in fresh])
        return answers

    alike(tf, program)


def test_rule_5_an_object_at_the_address_of_a_dead_one(tf: Any) -> None:
    """Known by identity, and so not the same, though Python uses its address again."""

    class Plain:
        def __init__(self, scale: float) -> None:
            self.scale = scale

    step = traceonce.function(lambda x, config: x * config.scale)
    addresses = set()
    for number in range(20):
        config = Plain(float(number))
        addresses.add(id(config))
        assert float(step(tf.constant(1.0), config)) == number
        del config
    assert len(addresses) < 20


def test_rule_5_dead_entries_are_dropped(tf: Any) -> None:
    """What is known by identity cannot come again once it is gone; its trace goes, too."""

    class Plain:
        scale = 2.0

    graphs: list[weakref.ref[Any]] = []

    @traceonce.function
    def step(x: Any, config: Plain) -> Any:
        graphs.append(weakref.ref(x.graph))
        return x * config.scale

    kept = Plain()
    for _ in range(10):
        step(tf.constant(1.0), Plain())
        gc.collect(0)
    for _ in range(3):
        step(tf.constant(1.0), kept)
    gc.collect()
    assert traceonce.stats(step).kept <= 2
    assert sum(graph() is not None for graph in graphs) <= 2
    assert float(step(tf.constant(1.0), kept)) == 2.0
    assert len(graphs) == 11


# --- rule 6


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
    sizes = [tf.zeros([0, size]) for size in range(1, 7000)]
    for x in sizes[:5000]:
        step(x)
    gc.collect()
    before = len(gc.get_objects())
    for x in sizes[5000:]:
        step(x)
    gc.collect()
    assert traceonce.stats(step).kept <= 2
    assert len(gc.get_objects()) - before < 1000


# --- rule 7


def test_rule_7_a_dimension_is_padded_to_a_bucket(tf: Any) -> None:
    """The body sees the buckets only."""
    options = {"pad": {"x": {0: (4, 8)}}, "relax": False}
    step, seen = noted(tf, traceonce.function, lambda x: tf.reduce_sum(x), **options)
    assert [float(step(tf.ones([size]))) for size in range(1, 9)] == [float(size) for size in range(1, 9)]
    assert [shape.as_list() for (shape,) in seen] == [[4], [8]]


# --- rule 8


@attrs.define(frozen=True)
class Attributes:
    x: Any
    k: float


def tracked(tf: Any, thing: Any) -> Any:
    """What a module makes of a list, a tuple or a dictionary that is given to it."""
    module = tf.Module()
    module.kept = thing
    return module.kept


EXOTIC: dict[str, Callable[[Any], list[Any]]] = {
    "ragged": lambda tf: [tf.ragged.constant(rows) for rows in ([[1.0], [2.0, 3.0]], [[4.0]], [[5.0], [], [6.0]])],
    "sparse": lambda tf: [tf.sparse.from_dense(rows) for rows in ([[0.0, 1.0]], [[2.0, 0.0], [3.0, 4.0]])],
    "slices": lambda tf: [tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, k]), tf.constant([4, 2])) for k in (1, 2)],
    "named tuple": lambda tf: [Pair(tf.constant(k), 2.0) for k in (1.0, 2.0)],
    "attrs": lambda tf: [Attributes(tf.constant(k), 2.0) for k in (1.0, 2.0)],
    "ordered": lambda tf: [collections.OrderedDict(b=tf.constant(k), a=tf.constant(2.0)) for k in (1.0, 2.0)],
    "default dict": lambda tf: [collections.defaultdict(list, a=tf.constant(k)) for k in (1.0, 2.0)],
    "sets": lambda tf: [{1, 2}, frozenset({1})],
    "dataset": lambda tf: [tf.data.Dataset.range(k) for k in (3, 4)],
    "iterator": lambda tf: [iter(tf.data.Dataset.range(20))],
    "string tensor": lambda tf: [tf.constant(["a", "b"]), tf.constant(["c"])],
    "string array": lambda tf: [np.array(["a", "b"]), np.array(["c"])],
    "object array": lambda tf: [np.array([1.0, 2.0], object)],
    "NumPy numbers": lambda tf: [np.float32(1), np.float64(2), np.int64(3), np.bool_(True)],
    "lists of numbers": lambda tf: [[1.0, 2.0], [3.0, 4.0], [5.0]],
    "nothing": lambda tf: [None, ..., NotImplemented],
    "spec": lambda tf: [tf.TensorSpec([1])],
    "variables": lambda tf: [[tf.Variable(1.0), tf.Variable([2.0])], [tf.Variable(3.0), tf.Variable([4.0, 5.0])]],
    "Keras variable": lambda tf: [tf.keras.Variable(2.0), tf.keras.Variable(3.0)],
    "unknown shape": lambda tf: [tf.Variable(tf.ones([2]), shape=[None]), tf.Variable(tf.ones([3]), shape=[None])],
    "quantized": lambda tf: [tf.cast([1, 2], tf.qint8)],
    "handle": lambda tf: [tf.Variable([1.0]).handle],
    "slice": lambda tf: [slice(1, 2), slice(None)],
    "module": lambda tf: [np],
    "tensor shape": lambda tf: [tf.TensorShape([1, None]), tf.TensorShape([2])],
    "tracked lists": lambda tf: [tracked(tf, [tf.constant(1.0), {"a": 2.0}]), tracked(tf, (tf.constant(1.0), [2.0]))],
    "odd keys": lambda tf: [{1: 1.0, 2: 2.0}, {"a": 1.0, 1: 2.0}, {(1, 2): 1.0}, {None: 1.0}, {True: 1.0}, {1: 1.0}],
    "text enum": lambda tf: [Mode.A, "a", Mode.A],
    "odd values": lambda tf: [range(3), fractions.Fraction(1, 3), decimal.Decimal("0.1"), bytearray(b"x"), print],
    "nested": lambda tf: [{"a": [(tf.constant(k), {"b": None, "c": [2.0, "s"]})], "z": ()} for k in (1.0, 2.0)],
    "optional": lambda tf: [tf.experimental.Optional.from_value(tf.constant(k)) for k in (1.0, 2.0)],
    "linear operator": lambda tf: [tf.linalg.LinearOperatorDiag([k, 2.0]) for k in (1.0, 2.0)],
}


@pytest.mark.parametrize("kind", EXOTIC)
def test_rule_8_what_is_not_understood_is_tensorflows(tf: Any, kind: str) -> None:
    """Values or errors, in turns, three times."""

    def tensors(thing: Any) -> Any:
        if kind == "dataset":
            return thing.reduce(np.int64(0), lambda a, b: a + b)
        if kind == "iterator":
            return next(thing)
        if kind == "handle":
            return tf.raw_ops.ReadVariableOp(resource=thing, dtype=tf.float32)
        if kind == "optional":
            return thing.get_value()
        if kind == "linear operator":
            return thing.to_dense()
        parts = tf.nest.flatten(thing)
        return [part if tf.is_tensor(part) or hasattr(part, "assign") else str(type(part)) for part in parts]

    def program(function: Maker) -> Any:
        arguments = EXOTIC[kind](tf)
        step = function(lambda thing, k: (tensors(thing), k), autograph=False)
        return [[outcome(step, argument, k) for argument in arguments for k in (1.0, 2.0)] for _ in range(3)]

    alike(tf, program)


def test_rule_8_an_extension_type(tf: Any) -> None:
    """With a tensor and a static field, and a method that is such a function."""

    def program(function: Maker) -> Any:
        class Scaled(tf.experimental.ExtensionType):
            __name__ = f"tests.Scaled.{function is tf.function}"
            values: Any
            scale: float
            __annotations__ = {"values": tf.Tensor, "scale": float}  # as text they are not understood

            @function
            def total(self, more: float = 0.0) -> Any:
                return tf.reduce_sum(self.values) * self.scale + more

        step = function(lambda thing: thing.values * thing.scale)
        things = [Scaled(tf.ones([size]), scale) for size in (1, 2) for scale in (2.0, 3.0)]
        return [[plain(step(thing)), plain(thing.total()), plain(thing.total(1.0))] for thing in things * 3]

    alike(tf, program)


def test_rule_8_variadic_functions(tf: Any) -> None:
    """Any number of arguments and names, defaults, positional-only and keyword-only ones."""

    def program(function: Maker) -> Any:
        @function
        def step(a: Any, /, b: Any = 2.0, *rest: Any, c: Any = 3.0, **named: Any) -> Any:
            return [a, b, list(rest), c, [named[name] for name in sorted(named)]]

        one = tf.constant(1.0)
        calls: list[tuple[list[Any], dict[str, Any]]] = [
            ([one], {}),
            ([one, one], {}),
            ([one, one, one, 5.0], {}),
            ([one], {"b": 4.0}),
            ([one], {"c": one}),
            ([one], {"z": one, "d": 1.0}),
            ([one], {"d": 1.0, "z": one}),
            ([one], {"a": one}),
            ([], {"a": one}),
        ]
        return [[outcome(step, *args, **named) for args, named in calls] for _ in range(3)]

    alike(tf, program)


def test_rule_8_is_counted(tf: Any) -> None:
    """A call inside another function and one that is run eagerly are fallbacks, not hits."""
    step = traceonce.function(lambda x: x + 1.0)
    outer = tf.function(lambda x: step(x))
    outer(tf.constant(1.0))
    assert traceonce.stats(step).fallbacks == 1
    tf.config.run_functions_eagerly(True)
    try:
        step(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert (traceonce.stats(step).fallbacks, traceonce.stats(step).hits) == (2, 0)


# --- traps that are about no single rule


def test_trap_a_saved_model_after_a_lift_keeps_the_default(tf: Any, tmp_path: Path) -> None:
    """Whoever loads it calls it without the number, as always."""

    class Model(tf.Module):
        @traceonce.function
        def __call__(self, x: Any, k: float = 2.0) -> Any:
            return x * k

    model = Model()
    for k in (2.0, 3.0, 4.0, 5.0):
        model(tf.ones([3]), k)
    model(tf.ones([3]))
    assert traceonce.stats(model.__call__).lifted == 1
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded(tf.ones([3])).numpy().tolist() == [2.0] * 3
    assert loaded(tf.ones([3]), 2.0).numpy().tolist() == [2.0] * 3


def test_trap_aliases(tf: Any) -> None:
    """One variable twice is not two variables, whichever came first; nor is a captured one that is given, too."""

    def program(function: Maker) -> Any:
        v, w = tf.Variable(1.0), tf.Variable(10.0)

        @function
        def step(a: Any, b: Any) -> Any:
            a.assign_add(1.0)
            b.assign_add(a)
            return a + b + v

        @function
        def nested(pair: Any, *, c: Any) -> Any:
            pair["a"].assign_add(1.0)
            return pair["a"] + pair["b"] * 2.0 + c * 3.0

        pairs = [(v, v), (v, w), (w, v), (w, w)]
        answers = [thrice(step, *pair) for pair in pairs + pairs[::-1]]
        answers += [thrice(nested, {"a": a, "b": b}, c=c) for a, b in pairs for c in (v, w)]
        return answers, v, w

    alike(tf, program)


def test_trap_the_order_of_inputs(tf: Any) -> None:
    """Keyword-only arguments go by name, dictionaries by sorted key, in whatever order they are given."""

    def program(function: Maker) -> Any:
        step = function(lambda *, z, a, m: z * 100.0 + a * 10.0 + m)
        of_dict = function(lambda given: given["z"] * 100.0 + given["a"] * 10.0 + given["m"])
        one, two, three = (tf.constant(k) for k in (1.0, 2.0, 3.0))
        answers = thrice(step, z=one, a=two, m=three) + thrice(step, m=three, z=one, a=two)
        answers += thrice(step, m=one, z=2.0, a=two) + thrice(step, m=one, z=3.0, a=two)
        answers += thrice(of_dict, {"z": one, "a": two, "m": three}) + thrice(of_dict, {"m": three, "a": two, "z": one})
        answers += thrice(of_dict, {"m": one, "a": 2.0, "z": two}) + thrice(of_dict, {"a": 3.0, "z": two, "m": one})
        return answers

    alike(tf, program)


def test_trap_hits_are_counted(tf: Any) -> None:
    """Ours bypass TensorFlow's counter of calls; a watch that is open counts them all the same."""

    def program(function: Maker) -> Any:
        class Model:
            @function
            def step(self, x: Any) -> Any:
                return x

        @function
        def counted(x: Any, k: float) -> Any:
            return x * k

        with traceonce.watch() as first:
            for _ in range(10):
                counted(tf.constant(1.0), 2.0)
        for _ in range(5):
            counted(tf.constant(1.0), 2.0)
        with traceonce.watch() as second:
            counted(tf.constant([1.0]), 2.0)
            for _ in range(3):
                counted(tf.constant(1.0), 2.0)
                counted(tf.constant([1.0]), 2.0)
        with traceonce.watch() as third:
            for model in (Model(), Model()):
                for _ in range(4):
                    model.step(tf.constant(1.0))
        return first["counted"].calls, second["counted"].calls, third["step"].calls

    assert alike(tf, program) == (10, 7, 8)


def test_trap_an_observer_keeps_no_objects(tf: Any) -> None:
    """While a watch is open, calls leave nothing behind: neither their arguments nor a trace of themselves."""

    class Plain:
        pass

    step = traceonce.function(lambda x, config: x * 2.0)
    with traceonce.watch():
        config = Plain()
        x = tf.ones([3])
        for _ in range(3):
            step(x, config)
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(20):
            step(x, config)
        gc.collect()
        assert len(gc.get_objects()) - before < 10
        gone = [weakref.ref(config), weakref.ref(x)]
        del config, x
        gc.collect()
        assert [reference() for reference in gone] == [None, None]


def test_trap_a_raw_execute_loses_the_text_of_errors(tf: Any) -> None:
    """A hit that fails says where in the body, as the first call does."""

    @traceonce.function
    def step(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    for _ in range(3):
        step(tf.ones([2]), tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error") as caught:
        step(tf.ones([2]), tf.constant(5))
    assert "test_bounded_rules.py" in str(caught.value)
    assert "indices = 5 is not in [0, 2)" in str(caught.value)


def test_trap_a_mutable_default_and_a_mutated_list(tf: Any) -> None:
    """The key is made of what the list holds now, not of the list."""

    def program(function: Maker) -> Any:
        numbers = [1.0, 2.0]
        step = function(lambda x, numbers=numbers: x * sum(numbers))
        answers = [thrice(step, tf.constant(1.0)), thrice(step, tf.constant(1.0), numbers)]
        numbers.append(3.0)
        answers += [thrice(step, tf.constant(1.0), numbers), thrice(step, tf.constant(1.0), [1.0, 2.0])]
        numbers[0] = 5.0
        return [*answers, thrice(step, tf.constant(1.0), numbers)]

    alike(tf, program)


def test_trap_an_array_that_changes_between_calls(tf: Any) -> None:
    """NumPy memory is read at each call, and is not shared with what comes out."""

    def program(function: Maker) -> Any:
        step = function(lambda x: (x, x * 2.0))
        array = np.ones([3], np.float32)
        answers = []
        for number in range(4):
            array[0] = number
            held = step(array)
            array[1] = -1.0
            answers.append(plain(held))
        return answers

    alike(tf, program)
