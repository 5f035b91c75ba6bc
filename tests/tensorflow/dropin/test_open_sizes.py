"""An open size is seen however it is looked at, and what is checked of a size that is known is checked of an open one.

The referee is a `tf.function` that is made anew for every call. Sizes are chosen so that the first two calls open a
dimension, and one of the later ones shows what was made of it.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, Raised, outcome

LOOKS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "equal": lambda tf, x, y: x.shape == y.shape,
    "equal, the other way round": lambda tf, x, y: y.shape == x.shape,
    "unequal": lambda tf, x, y: x.shape != y.shape,
    "equal to a shape": lambda tf, x, y: tf.TensorShape([3]) == y.shape,
    "equal to a list": lambda tf, x, y: y.shape == [3],
    "in a list": lambda tf, x, y: y.shape in [tf.TensorShape([3])],
    "compatible": lambda tf, x, y: x.shape.is_compatible_with(y.shape),
    "subtype": lambda tf, x, y: y.shape.is_subtype_of(x.shape),
    "merged": lambda tf, x, y: x.shape.merge_with(y.shape) is not None,
    "as a list": lambda tf, x, y: y.shape.as_list() == [3],
    "as a tuple": lambda tf, x, y: tuple(y.shape) == (3,),
    "as a text": lambda tf, x, y: str(y.shape) == "(3,)",
    "by its hash": lambda tf, x, y: {tf.TensorShape([3]): True}.get(y.shape, False),
    "unpacked": lambda tf, x, y: [*y.shape] == [3],
    "dims": lambda tf, x, y: y.shape.dims[0].value == 3,
    "private": lambda tf, x, y: y.shape._dims == (3,),
    "number of elements": lambda tf, x, y: y.shape.num_elements() == 3,
    "fully defined": lambda tf, x, y: y.shape.is_fully_defined(),
    "get_shape": lambda tf, x, y: y.get_shape()[0] == 3,
    "a slice": lambda tf, x, y: y.shape[:1] == [3],
    "concatenated": lambda tf, x, y: (x.shape + y.shape) == [3, 3],
    "a spec": lambda tf, x, y: tf.TensorSpec([3]).is_compatible_with(y),
    "equal specs": lambda tf, x, y: tf.TensorSpec.from_tensor(y).shape == tf.TensorSpec([3]).shape,
    "a type": lambda tf, x, y: tf.type_spec_from_value(y) == tf.TensorSpec([3]),
    "a static value": lambda tf, x, y: tf.get_static_value(tf.shape(y)) is not None,
    "the size of a result": lambda tf, x, y: (y * 2.0).shape[0] == 3,
    "the rank of something else": lambda tf, x, y: y.shape.rank == 1,
    "broadcast": lambda tf, x, y: tf.broadcast_static_shape(x.shape, y.shape) == [3],
    "by NumPy": lambda tf, x, y: _elements(y.shape) == 3,
    "a message": lambda tf, x, y: y.shape.as_proto().dim[0].size == 3,
    "copied": lambda tf, x, y: copy.deepcopy(y.shape) == [3],
    "pickled": lambda tf, x, y: pickle.loads(pickle.dumps(y.shape)) == [3],
    "a private tuple": lambda tf, x, y: y._shape_tuple() == (3,),
    "of the operation": lambda tf, x, y: y.op.get_attr("shape").dim[0].size == 3,
    "of its definition": lambda tf, x, y: y.op.node_def.attr["shape"].shape.dim[0].size == 3,
    "of the graph": lambda tf, x, y: "size: 3" in str(y.graph.as_graph_def().node[1]),
    "static lengths": lambda tf, x, y: tf.experimental.DynamicRaggedShape.from_tensor(y).static_lengths() == [3],
    "in another thread": lambda tf, x, y: _elsewhere(lambda: y.shape[0]) == 3,
}


def _elements(shape: Any) -> int:
    import numpy as np

    return int(np.prod(shape))


def _elsewhere(look: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(look).result()


@pytest.mark.parametrize("nested", [False, True], ids=["in the body", "in an inner function"])
@pytest.mark.parametrize("look", LOOKS)
def test_every_look_at_an_open_size_is_seen(tf: Any, look: str, nested: bool) -> None:
    """Traced at 1 and at 2, and then asked at 3."""

    def body(x: Any, y: Any) -> Any:
        return x if LOOKS[look](tf, x, y) else -x

    def play(function: Maker) -> list[Any]:
        inner = tf.function(body, autograph=False) if nested else body
        called = function(lambda x, y: inner(x, y), autograph=False)
        return [outcome(called, tf.ones([3]), tf.ones([size])) for size in (1, 2, 3, 4)]

    expected = [outcome(tf.function(body, autograph=False), tf.ones([3]), tf.ones([size])) for size in (1, 2, 3, 4)]
    assert _kinds(play(traceonce.function)) == _kinds(expected)


def _kinds(outcomes: list[Any]) -> list[Any]:
    """Values as they are; of an error, which one."""
    return [one.kind if isinstance(one, Raised) else one for one in outcomes]


Body = Callable[..., Any]
SIZES = (1, 2, 3, 4)


def compared(tf: Any, body: Body, calls: list[tuple[Any, ...]], options: dict[str, Any]) -> Any:
    """All calls with both, which must do the same; the function, to ask it for its statistics."""
    called = traceonce.function(body, **options)
    for call in calls:
        assert _kinds([outcome(called, *call)]) == _kinds([outcome(tf.function(body, **options), *call)]), call
    return called


def of_a_length(tf: Any) -> dict[str, Body]:
    """Bodies that AutoGraph converts: `len` gives a number where the size is known, and a tensor where it is not."""

    def repeated(x: Any) -> Any:
        return tf.reduce_max([2] * len(x))

    def shown(x: Any) -> Any:
        return tf.constant(f"{len(x)}")

    def asked(x: Any) -> Any:
        return -x if isinstance(len(x), int) else x

    return {"repeated": repeated, "shown": shown, "asked": asked}


@pytest.mark.parametrize("what", ["repeated", "shown", "asked"])
def test_a_length_is_a_number(tf: Any, what: str) -> None:
    compared(tf, of_a_length(tf)[what], [(tf.ones([size]),) for size in SIZES], {})


def test_a_size_of_keras_is_a_number(tf: Any) -> None:
    if hasattr(tf.keras, "ops"):
        body = lambda x: tf.reduce_max([2] * tf.keras.ops.shape(x)[0])  # noqa: E731
        compared(tf, body, [(tf.ones([size]),) for size in SIZES], {"autograph": False})


PAIRS = ((1, 1), (2, 2), (3, 3), (3, 1), (1, 3), (2, 3))


def of_two(tf: Any) -> dict[str, Body]:
    def promised(x: Any, y: Any) -> Any:
        z = y * 1.0
        z.set_shape(x.shape)
        return z

    losses = tf.keras.losses
    return {
        "made sure of": lambda x, y: tf.ensure_shape(y, x.shape),
        "made sure of in part": lambda x, y: tf.ensure_shape(y, x.shape[:1]),
        "promised": promised,
        "of the elements of a list": lambda x, y: (
            tf.TensorArray(tf.float32, 2, element_shape=x.shape).write(0, x).write(1, y).read(0)
        ),
        "of labels and predictions": lambda x, y: losses.binary_crossentropy(x[:, None], y[:, None] / 2.0),
    }


@pytest.mark.parametrize("what", ["made sure of", "made sure of in part", "promised", "of the elements of a list"])
def test_a_shape_in_hand_is_held_to(tf: Any, what: str) -> None:
    compared(tf, of_two(tf)[what], [(tf.ones([a]), tf.ones([b])) for a, b in PAIRS], {"autograph": False})


def test_sizes_that_were_always_one_are_two_once_they_differed(tf: Any) -> None:
    """Where Python has something against it, they stay one; where it has not, one trace shows it for good."""
    calls = [(tf.ones([a]), tf.ones([b])) for a, b in PAIRS]
    compared(tf, of_two(tf)["of labels and predictions"], calls, {"autograph": False})
    added = compared(tf, lambda x, y: x + y, calls[:-1], {"autograph": False})
    assert traceonce.stats(added).traces == 3  # at (1, 1), with both open, and at (3, 1)


def layers(tf: Any) -> dict[str, tuple[Any, list[list[int]]]]:
    axis, shape = (tf.keras.layers.Activation("relu") for _ in range(2))
    axis.input_spec = tf.keras.layers.InputSpec(axes={0: 3})
    shape.input_spec = tf.keras.layers.InputSpec(shape=(None, 3))
    entered = tf.keras.Input((3,))
    model = tf.keras.Model(entered, tf.keras.layers.Activation("relu")(entered))
    vectors, matrices = [[3], [4], [3], [5]], [[2, 3], [4, 3], [4, 4], [3, 3], [2, 5]]
    return {
        "an axis": (axis, vectors),
        "a shape": (shape, matrices),
        "a model": (model, matrices),
        "what is cropped": (tf.keras.layers.Cropping1D(1), [[1, 4, 1], [1, 5, 1], [1, 2, 1], [1, 3, 1]]),
    }


@pytest.mark.parametrize("what", ["an axis", "a shape", "a model", "what is cropped"])
def test_what_keras_asks_of_its_inputs_is_asked_of_open_sizes(tf: Any, what: str) -> None:
    layer, shapes = layers(tf)[what]
    compared(tf, lambda x: layer(x), [(tf.ones(shape),) for shape in shapes], {})


def test_the_replicas_of_a_strategy_look_at_sizes_in_threads(tf: Any) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    inner = tf.function(lambda x: x if x.shape[0] == 3 else x * 2.0)
    compared(tf, lambda x: strategy.run(inner, args=(x,)), [(tf.ones([size]),) for size in SIZES], {"autograph": False})
    assert float(inner(tf.ones([3]))[0]) == 1.0, "a trial has left a trace behind"


def harmless(tf: Any) -> dict[str, Body]:
    mean, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.BinaryAccuracy()
    mean.update_state([1.0]), accuracy.update_state([1.0], [1.0])

    def measured(x: Any) -> Any:
        mean.update_state(x)
        accuracy.update_state(x, x)
        return mean.result()

    def printed(x: Any) -> Any:
        with open(os.devnull, "w") as nowhere:
            print(x.shape, file=nowhere)
        return x * 2.0

    def restored(x: Any) -> Any:
        y = tf.reshape(x, tf.shape(x))
        y.set_shape(x.shape)
        return y * float(x.shape.rank)

    def unconnected(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x)
        return [g for g in tape.gradient(y, [x, mean.variables[0]]) if g is not None]

    return {"measured": measured, "printed": printed, "restored": restored, "unconnected": unconnected}


@pytest.mark.parametrize("what", ["measured", "printed", "restored", "unconnected"])
def test_what_tells_nothing_of_a_size_costs_no_trace(tf: Any, what: str) -> None:
    called = traceonce.function(harmless(tf)[what])
    for size in SIZES:
        called(tf.ones([size]))
    assert traceonce.stats(called).traces == 2, traceonce.stats(called).why


def test_what_a_layer_asks_of_known_sizes_does_not_hang_on_a_number(tf: Any) -> None:
    layer = tf.keras.layers.Dense(1)
    layer.build([None, 3])
    called = traceonce.function(lambda x, k: layer(x) * k)
    for number in (1.0, 2.0, 3.0):
        called(tf.ones([2, 3]), number)
    assert traceonce.stats(called).lifted == 1, traceonce.stats(called).why
