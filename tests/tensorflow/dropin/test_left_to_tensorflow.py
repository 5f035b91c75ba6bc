"""Rule 8: what is not understood is TensorFlow's to do."""

from __future__ import annotations

import collections
import decimal
import enum
import fractions
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.noted import Pair
from tests.tensorflow.dropin.paired import Maker, alike, outcome, plain


class Mode(str, enum.Enum):
    A = "a"


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
