"""Every cause of a retrace, made to happen in real TensorFlow: the traces, the code, the place, was and now."""

from __future__ import annotations

import collections
import enum
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest

import traceonce
from tests.tensorflow.diagnosed import causes_of, only
from traceonce.facts import Verdict


def test_a_dimension(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        for width in (3, 4, 4, 3):
            step(tf.zeros([2, width]))
    assert only(seen).traces == 2
    assert causes_of(only(seen)) == [("shape", "x.shape[1]", "3", "4", 1)]


def test_a_rank(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        step(tf.zeros([2, 3]))
        step(tf.zeros([2]))
    assert causes_of(only(seen)) == [("rank", "x.shape", "[2,3]", "[2]", 1)]


def test_a_dtype(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    with traceonce.watch() as seen:
        step(tf.zeros([2]))
        step(tf.zeros([2], tf.int32))
    assert causes_of(only(seen)) == [("dtype", "x.dtype", "float32", "int32", 1)]


@pytest.mark.parametrize(
    ("first", "second", "was", "now"),
    [(1, 2, "1", "2"), (2.5, 0.1, "2.5", "0.1"), ("a", "b", "'a'", "'b'"), (True, False, "True", "False")],
)
def test_a_python_value(tf: Any, first: Any, second: Any, was: str, now: str) -> None:
    step = tf.function(lambda x, k: x)
    with traceonce.watch() as seen:
        step(tf.constant(1.0), first)
        step(tf.constant(1.0), second)
    assert causes_of(only(seen)) == [("value", "k", was, now, 1)]
    assert only(seen).causes[0].type_name == type(first).__name__


def test_a_numpy_string_is_a_value_and_a_numpy_number_a_tensor(tf: Any) -> None:
    step = tf.function(lambda x: tf.constant(1))
    with traceonce.watch() as seen:
        for value in (np.float32(1), np.float32(2), np.str_("a"), np.str_("b")):
            step(value)
    assert causes_of(only(seen)) == [("kind", "x", "float32[]", "'a'", 1), ("value", "x", "'a'", "'b'", 1)]


def test_none_against_a_tensor(tf: Any) -> None:
    step = tf.function(lambda x, mask=None: x)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        step(tf.constant(1.0), tf.constant(True))
        step(tf.constant(1.0), None)
    assert only(seen).traces == 2
    assert causes_of(only(seen)) == [("kind", "mask", "None", "bool[]", 1)]
    assert only(seen).verdict is Verdict.BOUNDED


def test_list_length_and_list_against_tuple(tf: Any) -> None:
    step = tf.function(lambda images: tf.add_n(images))
    one = tf.constant(1.0)
    with traceonce.watch() as seen:
        step([one])
        step([one, one])
        step((one, one))
    assert causes_of(only(seen)) == [
        ("structure", "len(images)", "1", "2", 1),
        ("structure", "images", "list", "tuple", 1),
    ]


def test_dict_keys_but_not_their_order(tf: Any) -> None:
    step = tf.function(lambda batch: batch["a"])
    one = tf.constant(1.0)
    with traceonce.watch() as seen:
        step({"a": one})
        step({"a": one, "b": one})
        step({"b": one, "a": one})
        step(collections.OrderedDict(b=one, a=one))
    assert only(seen).traces == 2
    assert causes_of(only(seen)) == [("structure", "batch", "keys 'a'", "keys 'a', 'b'", 1)]


class Pair(NamedTuple):
    p: Any
    q: Any


@attrs.define
class Boxed:
    p: Any


def test_inside_nests(tf: Any) -> None:
    step = tf.function(lambda batch, pair, boxed: tf.constant(1.0))
    with traceonce.watch() as seen:
        step({"ids": [tf.zeros([3])]}, Pair(tf.constant(1.0), 1), Boxed(tf.zeros([2])))
        step({"ids": [tf.zeros([4])]}, Pair(tf.constant(1.0), 2), Boxed(tf.zeros([2], tf.int32)))
    assert {(c.code.value, c.path) for c in only(seen).causes} == {
        ("shape", "batch['ids'][0].shape[0]"),
        ("value", "pair.q"),
        ("dtype", "boxed.p.dtype"),
    }


def test_variable_arguments(tf: Any) -> None:
    @tf.function
    def step(x: Any, *rest: Any, **options: Any) -> Any:
        return x

    one = tf.constant(1.0)
    with traceonce.watch() as seen:
        step(one)
        step(one, one)
        step(one, tf.zeros([2]))
        step(one, one, rate=one)
        step(one, one, rate=0.5)
    assert [(c.code.value, c.path, c.was, c.now) for c in only(seen).causes] == [
        ("structure", "len(rest)", "0", "1"),
        ("rank", "rest[0].shape", "[]", "[2]"),
        ("structure", "options", "keys none", "keys rate"),
        ("kind", "options['rate']", "float32[]", "0.5"),
    ]


class Config:
    def __init__(self, value: int = 1) -> None:
        self.value = value


class EqualConfig(Config):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualConfig) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


def test_another_object(tf: Any) -> None:
    step = tf.function(lambda config, x: x)
    first, second = Config(), Config()
    with traceonce.watch() as seen:
        for config in (first, second, first):
            step(config, tf.constant(1.0))
    assert only(seen).traces == 2
    assert causes_of(only(seen)) == [("identity", "config", "Config object", "Config object", 1)]


def test_equal_objects_share_a_trace_while_the_first_lives(tf: Any) -> None:
    """An equal object is no cause, also not when something else is."""
    step = tf.function(lambda config, x: tf.reduce_sum(x))
    first, second = EqualConfig(), EqualConfig()
    with traceonce.watch() as seen:
        step(first, tf.zeros([2]))
        step(second, tf.zeros([2]))
        step(second, tf.zeros([3]))
    assert causes_of(only(seen)) == [("shape", "x.shape[0]", "2", "3", 1)]


def test_objects_that_are_collected(tf: Any) -> None:
    step = tf.function(lambda config, x: x)
    with traceonce.watch() as seen:
        for _ in range(5):
            step(EqualConfig(), tf.constant(1.0))
    assert only(seen).traces == 5
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [("collected", "config", 4)]
    assert only(seen).verdict is Verdict.RETRACING


class Layer:
    def apply(self, x: Any) -> Any:
        return x + 1


@pytest.mark.parametrize("what", ["bound method", "lambda", "partial"])
def test_a_callable_made_for_the_call(tf: Any, what: str) -> None:
    """The weak reference to it is dead before the next call, so it is traced on every call."""
    layer = Layer()
    step = tf.function(lambda f, x: f(x))
    make = {
        "bound method": lambda: layer.apply,
        "lambda": lambda: lambda x: x * 2,
        "partial": lambda: functools.partial(tf.add, 1.0),
    }[what]
    with traceonce.watch() as seen:
        for _ in range(4):
            step(make(), tf.constant(1.0))
    assert only(seen).traces == 4
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [("collected", "f", 3)]
    assert only(seen).verdict is Verdict.RETRACING


def test_enum_members_are_objects_by_name(tf: Any) -> None:
    mode = enum.Enum("Mode", ["TRAIN", "EVAL"])
    step = tf.function(lambda x, mode: x)
    with traceonce.watch() as seen:
        step(tf.constant(1.0), mode.TRAIN)
        step(tf.constant(1.0), mode.EVAL)
        step(tf.constant(1.0), mode.TRAIN)
    assert causes_of(only(seen)) == [("identity", "mode", "Mode.TRAIN", "Mode.EVAL", 1)]


def test_aliased_variables(tf: Any) -> None:
    step = tf.function(lambda a, b: a + b)
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with traceonce.watch() as seen:
        step(v, w)
        step(v, v)
        step(w, v)
    assert only(seen).traces == 2
    assert [(c.code.value, c.path) for c in only(seen).causes] == [("aliasing", "b")]


def test_a_variable_against_a_tensor(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        step(tf.Variable(1.0))
        step(tf.Variable(2.0))
        step(tf.constant(1.0))
    assert causes_of(only(seen)) == [("kind", "x", "variable float32[]", "float32[]", 1)]


def test_ragged_and_sparse(tf: Any) -> None:
    step = tf.function(lambda x: x)
    with traceonce.watch() as seen:
        step(tf.ragged.constant([[1], [2, 3]]))
        step(tf.ragged.constant([[1, 2], [3]]))  # row lengths are free
        step(tf.ragged.constant([[1], [2, 3], [4]]))
        step(tf.sparse.from_dense([[1, 0], [0, 2]]))
        step(tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]]))
    assert [(c.code.value, c.path) for c in only(seen).causes] == [("spec", "x.shape[0]"), ("spec", "x")]
    assert only(seen).causes[0].count == 2


def test_the_name_of_a_spec(tf: Any) -> None:
    step = tf.function(lambda x: x)
    with traceonce.watch() as seen:
        step.get_concrete_function(tf.TensorSpec([None], tf.float32, name="a"))
        step.get_concrete_function(tf.TensorSpec([None], tf.float32, name="b"))
    assert causes_of(only(seen)) == [("spec", "x.name", "a", "b", 1)]


def test_an_extension_type_is_taken_apart(tf: Any) -> None:
    masked_type = type(  # spelt out, since annotations in this file are strings
        "Masked",
        (tf.experimental.ExtensionType,),
        {"__annotations__": {"values": tf.Tensor, "label": str}, "__module__": __name__},
    )
    step = tf.function(lambda masked: masked.values)
    with traceonce.watch() as seen:
        step(masked_type(tf.zeros([2]), "p"))
        step(masked_type(tf.zeros([2]), "q"))
        step(masked_type(tf.zeros([3]), "q"))
    assert causes_of(only(seen)) == [
        ("spec", "masked.label", "'p'", "'q'", 1),
        ("shape", "masked.values.shape[0]", "2", "3", 1),
    ]


def test_a_new_graph(tf: Any) -> None:
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        for _ in range(2):
            with tf.Graph().as_default():
                step(tf.constant(1.0))
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [("context", "graph", 2)]
    assert only(seen).causes[0].was == "eager"


def test_a_strategy_scope(tf: Any) -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    step = tf.function(lambda x: x + 1)
    with traceonce.watch() as seen:
        step(tf.constant(1.0))
        with strategy.scope():
            step(tf.constant(1.0))
    assert [(c.code.value, c.path) for c in only(seen).causes] == [("context", "strategy")]
    assert "MirroredStrategy" in only(seen).causes[0].now


def test_a_function_made_in_a_loop(tf: Any) -> None:
    with traceonce.watch() as seen:
        for _ in range(4):

            @tf.function
            def step(x: Any) -> Any:
                return x + 1

            step(tf.constant(1.0))
    assert only(seen).traces == 4
    assert [(c.code.value, c.count) for c in only(seen).causes] == [("new_function", 3)]
    assert only(seen).verdict is Verdict.RETRACING


def test_a_function_made_anew_over_another_value_says_so(tf: Any) -> None:
    """Made once, it would keep the first value for ever: the report names what differs, and its fix passes that."""

    def make(scale: float) -> Any:
        return tf.function(lambda x: x * scale)

    with traceonce.watch() as seen:
        for scale in (1.5, 2.5, 3.5):
            make(scale)(tf.constant(1.0))
    assert [(c.code.value, c.count, c.note) for c in only(seen).causes] == [("new_function", 2, "scale")]
    assert "the same code, wrapped in tf.function again, with another scale" in seen.report()
    assert only(seen).fixes[0].snippet == (
        "compiled = tf.function(lambda …, scale: …)  # once, outside\ncompiled(…, scale=scale)"
    )


def test_a_constant_argument_at_its_default_stays_out_of_the_signature(tf: Any) -> None:
    step = tf.function(lambda x, n=3, mask=None: tf.reduce_sum(x) * n)
    with traceonce.watch() as seen:
        for width in range(1, 6):
            step(tf.zeros([width]), n=3)
    (fix,) = only(seen).fixes
    assert fix.snippet == "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"


def test_a_function_made_in_a_loop_does_not_hide_a_shape(tf: Any) -> None:
    """Making the function once would not help: the next cause is named as well."""
    with traceonce.watch() as seen:
        for width in (2, 3, 4):
            tf.function(lambda x: tf.reduce_sum(x))(tf.zeros([width]))
    assert {(c.code.value, c.count) for c in only(seen).causes} == {("new_function", 2), ("shape", 2)}


def test_a_method_of_the_same_instance_wrapped_in_every_call(tf: Any) -> None:
    class Model:
        def forward(self, x: Any) -> Any:
            return x + 1

        def __call__(self, x: Any) -> Any:
            return tf.function(self.forward)(x)

    model = Model()
    with traceonce.watch() as seen:
        for _ in range(4):
            model(tf.constant(1))
    assert [(c.code.value, c.count) for c in only(seen).causes] == [("new_function", 3)]
    assert only(seen).records == ("tensorflow/retracing-new-function",)


def test_a_method_of_new_instances(tf: Any) -> None:
    class Model:
        @tf.function
        def step(self, x: Any) -> Any:
            return x + 1

    with traceonce.watch() as seen:
        for _ in range(4):
            model = Model()
            model.step(tf.constant(1.0))
            model.step(tf.constant(2.0))
    assert only(seen).traces == 4
    assert [(c.code.value, c.count) for c in only(seen).causes] == [("new_instance", 3)]
    assert only(seen).function.name.endswith("Model.step")


def test_a_type_that_never_equals_itself(tf: Any) -> None:
    class Label(tf.types.experimental.TraceType):  # type: ignore[misc]  # untyped base
        def __init__(self, text: str) -> None:
            self.text = text

        def is_subtype_of(self, other: Any) -> bool:
            return self is other

        def most_specific_common_supertype(self, others: Any) -> Any:
            return None

        def placeholder_value(self, placeholder_context: Any) -> Any:
            return Labelled(self.text)

        def cast(self, value: Any, cast_context: Any) -> Any:
            return value

        def __eq__(self, other: object) -> bool:
            return self is other

        def __hash__(self) -> int:
            return hash(self.text)

    class Labelled:
        def __init__(self, text: str) -> None:
            self.text = text

        def __tf_tracing_type__(self, context: Any) -> Any:
            return Label(self.text)

    labelled = Labelled("a")
    step = tf.function(lambda labelled, x: x + 1)
    with traceonce.watch() as seen:
        for _ in range(3):
            step(labelled, tf.constant(1.0))
    assert only(seen).traces == 3
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [("unequal", "labelled", 2)]
    assert "Label.__eq__" in (only(seen).causes[0].note or "")


class Ops(NamedTuple):
    """Two closures: tuples compare contents, and closures only themselves."""

    up: Callable[[Any], Any]
    down: Callable[[Any], Any]


def a_type_of(tf: Any, equality: Callable[[Any, Any], bool], ops: Callable[[], Any]) -> Any:
    """A class of arguments whose type has this equality, and holds what `ops` makes each time it is asked for."""

    class Kind(tf.types.experimental.TraceType):  # type: ignore[misc]
        def __init__(self) -> None:
            self.ops = ops()

        def is_subtype_of(self, other: Any) -> bool:
            return bool(self == other)

        def most_specific_common_supertype(self, others: Any) -> Any:
            return None

        def placeholder_value(self, placeholder_context: Any) -> Any:
            return Layer()

        def cast(self, value: Any, cast_context: Any) -> Any:
            return value

        def __eq__(self, other: object) -> bool:
            return equality(self, other)

        def __hash__(self) -> int:
            return 1

    class Layer:
        def __tf_tracing_type__(self, context: Any) -> Any:
            return Kind()

    return Layer


def closures() -> Ops:
    return Ops(lambda x: x + 1, lambda x: x - 1)


def test_contents_that_differ_are_told_from_a_type_that_never_equals_itself(tf: Any) -> None:
    """The `__eq__` of a NamedTuple compares contents: it is the closures in it that are made anew."""
    step = tf.function(lambda layer, x: x + 1)
    layer = a_type_of(tf, lambda one, other: bool(one.ops == other.ops), closures)()
    with traceonce.watch() as seen:
        for _ in range(3):
            step(layer, tf.constant(1.0))
    assert [(c.code.value, c.path, c.count, c.type_name) for c in only(seen).causes] == [
        ("unequal", "layer.ops.up", 2, "function"),
        ("unequal", "layer.ops.down", 2, "function"),
    ]
    assert "a function that is recreated whenever the type of the argument is computed" in seen.report()


def test_another_object_in_a_type_is_another_object(tf: Any) -> None:
    """The type holds what its argument holds: equal to itself, and another one for each argument."""
    step = tf.function(lambda layer, x: x + 1)
    kept = [closures() for _ in range(3)]
    classes = [a_type_of(tf, lambda one, other: bool(one.ops == other.ops), lambda ops=ops: ops) for ops in kept]
    with traceonce.watch() as seen:
        for make in classes:
            step(make(), tf.constant(1.0))
    assert {(c.code.value, c.path) for c in only(seen).causes} == {
        ("identity", "layer.ops.up"),
        ("identity", "layer.ops.down"),
    }


def test_another_kind_and_a_type_that_never_equals_itself_are_both_named(tf: Any) -> None:
    step = tf.function(lambda layer, x: x + 1)
    layer = a_type_of(tf, lambda one, other: one is other, lambda: None)()
    with traceonce.watch() as seen:
        for argument in (None, layer, None, layer):
            step(argument, tf.constant(1.0))
    assert [(c.code.value, c.path, c.count) for c in only(seen).causes] == [
        ("kind", "layer", 1),
        ("unequal", "layer", 1),
    ]


def test_two_causes_at_once_are_both_named(tf: Any) -> None:
    step = tf.function(lambda x, k: tf.reduce_sum(x) * k)
    with traceonce.watch() as seen:
        for k, width in enumerate([12, 9, 12, 15, 20, 9]):
            step(tf.zeros([2, width]), float(k))
    assert [(c.code.value, c.path, c.count, c.values) for c in only(seen).causes] == [
        ("value", "k", 5, ("0.0", "1.0", "2.0", "3.0", "4.0", "5.0")),
        ("shape", "x.shape[1]", 3, ("12", "9", "15", "20")),
    ]
    assert only(seen).verdict is Verdict.RETRACING
    (fix,) = only(seen).fixes
    assert fix.snippet == (
        "@tf.function(input_signature=[tf.TensorSpec([2, None], tf.float32), tf.TensorSpec([], tf.float32)])"
    )
    assert fix.predicted_traces == 1


def test_a_combination_of_known_values_is_explained_by_the_nearest(tf: Any) -> None:
    step = tf.function(lambda a, b: tf.constant(1))
    with traceonce.watch() as seen:
        step("x", "p")
        step("y", "q")
        step("x", "q")
    assert seen.diagnoses[0].traces == 3
    assert [(c.code.value, c.path) for c in only(seen).causes] == [("value", "a"), ("value", "b")]
    assert sum(c.count for c in only(seen).causes) == 3


def test_traces_from_before_the_watch_are_compared_with(tf: Any) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x))
    step(tf.zeros([3]))
    with traceonce.watch() as seen:
        step(tf.zeros([4]))
    assert only(seen).traces == 1
    assert causes_of(only(seen)) == [("shape", "x.shape[0]", "3", "4", 1)]


def test_reduce_retracing_is_compared_by_what_was_traced(tf: Any) -> None:
    step = tf.function(lambda x, k: tf.reduce_sum(x), reduce_retracing=True)
    with traceonce.watch() as seen:
        for width in (1, 2, 3, 4):
            step(tf.zeros([width]), "a")
        step(tf.zeros([5]), "b")
    assert only(seen).traces == 3
    assert causes_of(only(seen)) == [("shape", "x.shape[0]", "1", "2", 1), ("value", "k", "'a'", "'b'", 1)]
