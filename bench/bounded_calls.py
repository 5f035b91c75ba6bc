"""The calls whose cost `bounded_speed` measures: each one made by `tf.function`, by ours, and bare."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context

import traceonce

Call = Callable[[], Any]


@dataclass
class Case:
    """One call, made three ways; `floor` runs the bare trace on tensors at hand: below it no dispatch can go."""

    name: str
    functions: tuple[Any, Any]  # tf.function's and ours: they are asked whether they traced
    plain: Call
    ours: Call
    floor: Call | None
    target: float | None = None
    more: str = ""
    same: bool = True  # whether both calls return the same values


@dataclass(frozen=True)
class Config:
    width: int
    activation: str


class Model:
    def bare(self, x: Any) -> Any:
        return x

    plain = tf.function(bare)
    ours = traceonce.function(bare)


def all_cases() -> Iterator[Case]:
    """One at a time: a case that is done with frees its functions."""
    pair = tf.constant([1.0, 2.0])
    for count, target in ((1, 0.32), (10, 0.20), (100, 0.08)):
        yield hit(f"{count} tensors", taking(count), pairs(count), target=target)
    yield hit("10 tensors, *args", lambda *xs: xs[0], pairs(10))
    yield from mixed_cases()
    model = Model()
    bare = bare_run(Model.plain.python_function, [model, pair], [pair])
    yield Case("method", (model.plain, model.ours), lambda: model.plain(pair), lambda: model.ours(pair), bare, 0.25)
    yield from tape_cases()
    yield hit("NumPy argument", taking(1), [np.float32([1, 2])], tensors=[pair], more="the floor is given a tensor")
    variable = tf.Variable([1.0, 2.0])
    yield hit("variable argument", lambda v: v + 1.0, [variable], tensors=[variable.handle])
    yield hit("captured variable", lambda x: x * variable, [pair])
    yield hit("input_signature", taking(1), [pair], input_signature=[tf.TensorSpec([None], tf.float32)])
    first, equal = Config(2, "relu"), Config(2, "relu")  # `first` lives on: else tf.function would trace once more
    yield hit("equal config object", lambda x, c: x * c.width, [pair, equal], first=[pair, first], tensors=[pair])
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    parts = tf.nest.flatten(ragged, expand_composites=True)
    yield hit("ragged tensor", lambda x: tf.reduce_sum(x), [ragged], tensors=parts, target=1.0)
    sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 3.0]])
    yield hit("sparse tensor", lambda x: tf.sparse.reduce_sum(x), [sparse], tensors=tf.nest.flatten(sparse, True))


def mixed_cases() -> Iterator[Case]:
    def mix(x: Any, y: Any, z: Any, k: int, rate: float, parts: dict[str, Any]) -> Any:
        inner = parts["inner"]
        return x + y * z + tf.cast(k, tf.float32), {"out": parts["a"] + parts["b"] + (inner["c"] + inner["d"]) * rate}

    def keywords(x: Any, y: Any, k: int = 2, *, scale: float = 0.5, z: Any) -> Any:
        return x + y * z * scale * k

    one = tf.constant(1.0)
    parts = {"a": one, "b": one, "inner": {"c": one, "d": one}}
    arguments = [one, one, one, 3, 0.5, parts]
    yield hit("mix", mix, arguments, tensors=[one] * 7, target=0.22, more="3 tensors, int, float, nested dict of 4")

    def lifted_calls() -> Iterator[Any]:
        for k in itertools.count():
            yield ours(one, one, one, k, k * 1e-3, parts)

    plain, ours = tf.function(mix), traceonce.function(mix)
    numbers = [tf.constant(3), tf.constant(0.5)]
    bare = bare_run(mix, [one, one, one, *numbers, parts], [one, one, one, *numbers, one, one, one, one])
    fresh = lifted_calls()
    more = "other numbers at each call of ours"
    yield Case("mix, lifted", (plain, ours), lambda: plain(*arguments), fresh.__next__, bare, more=more, same=False)
    yield hit("keywords and defaults", keywords, [one], {"z": one, "y": one}, tensors=[one] * 3)


def tape_cases() -> Iterator[Case]:
    weight = tf.Variable([1.0, 2.0])
    row = tf.constant([[1.0, 2.0]])
    ten = pairs(10)

    def loss(x: Any) -> Any:
        return tf.reduce_sum(x * weight)

    def forward(call: Call) -> Call:
        def run() -> Any:
            with tf.GradientTape():
                return call()

        return run

    def watching(call: Call) -> Call:
        def run() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(ten[0])
                return call()

        return run

    def with_gradient(call: Call) -> Call:
        def run() -> Any:
            with tf.GradientTape() as tape:
                out = call()
            return tape.gradient(out, weight)

        return run

    yield hit("tape, forward", loss, [row], around=forward, target=0.55)
    yield hit("tape, 10 tensors", lambda *xs: tf.add_n(xs), ten, around=watching, more="one of them watched")
    yield hit("tape with gradient()", loss, [row], around=with_gradient, bare=False)


def hit(
    name: str,
    body: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any] | None = None,
    *,
    first: list[Any] | None = None,
    tensors: list[Any] | None = None,
    around: Callable[[Call], Call] = lambda call: call,
    bare: bool = True,
    target: float | None = None,
    more: str = "",
    **options: Any,
) -> Case:
    """The same call of the same body under both; traced for `first` if given; `tensors` are what the trace takes in."""
    kwargs = kwargs or {}
    plain, ours = (make(body, autograph=False, **options) for make in (tf.function, traceonce.function))
    for function in (plain, ours):
        function(*(first or args), **kwargs)
    floor = around(bare_run(body, args, args if tensors is None else tensors, kwargs)) if bare else None
    plainly, our_way = around(lambda: plain(*args, **kwargs)), around(lambda: ours(*args, **kwargs))
    return Case(name, (plain, ours), plainly, our_way, floor, target, more)


def pairs(count: int) -> list[Any]:
    return [tf.constant([1.0, 2.0]) for _ in range(count)]


def taking(count: int) -> Callable[..., Any]:
    """A function of so many parameters by name, as people write them, that returns the first."""
    found: Callable[..., Any] = eval(f"lambda {', '.join(f'x{n}' for n in range(count))}: x0")
    return found


def bare_run(
    body: Callable[..., Any], args: list[Any], tensors: list[Any], kwargs: dict[str, Any] | None = None
) -> Call:
    concrete = tf.function(body, autograph=False).get_concrete_function(*args, **(kwargs or {}))
    running = context.context()
    definition = concrete._inference_function
    name, outputs = definition.name.decode(), len(definition.function_type.flat_outputs)
    attributes = ("executor_type", "", "config_proto", running.function_call_options.config_proto_serialized)
    inputs = [*tensors, *concrete.captured_inputs]
    execute, handle, device = pywrap_tfe.TFE_Py_Execute, running._handle, running.device_name

    def run(_kept_alive: Any = concrete) -> Any:
        return execute(handle, device, name, inputs, attributes, outputs)

    return run
