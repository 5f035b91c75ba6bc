"""Rule 7: a dimension is padded up to a bucket before the call, so that the body sees few shapes."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.paired import outcome, plain

PAD = {"tokens": {1: (4, 8)}}


def noted(tf: Any, body: Callable[..., Any], **options: Any) -> tuple[Any, list[Any]]:
    """A padded function, and the shapes of `tokens` that its body was traced with. (It must not read a size itself.)"""
    shapes: list[Any] = []

    @traceonce.function(pad=PAD, **options)
    @functools.wraps(body)
    def step(*args: Any, **kwargs: Any) -> Any:
        tokens = args[0] if args else kwargs["tokens"]
        shapes.append(tokens.shape)
        return body(*args, **kwargs)

    return step, shapes


def tokens_of(tf: Any, length: int) -> Any:
    return tf.reshape(tf.range(1, 2 * length + 1), [2, length])


@pytest.mark.parametrize("relax", [False, True])
def test_the_body_sees_buckets_only(tf: Any, relax: bool) -> None:
    """Eight lengths, two shapes at most; padding is zeros, at the end."""
    step, shapes = noted(tf, lambda tokens: (tf.reduce_sum(tokens), tokens), relax=relax)
    for _ in range(3):
        for length in range(1, 9):
            tokens = tokens_of(tf, length)
            total, padded = step(tokens)
            bucket = 4 if length <= 4 else 8
            assert int(total) == int(tf.reduce_sum(tokens))
            assert plain(padded) == plain(tf.pad(tokens, [[0, 0], [0, bucket - length]]))
    assert len(shapes) == 2
    assert shapes[0] == [2, 4]
    assert relax or shapes[1] == [2, 8]


def test_longer_than_the_last_bucket_is_left_as_it_is(tf: Any) -> None:
    """Each such length is a shape of its own."""
    step, shapes = noted(tf, lambda tokens: tf.shape(tokens), relax=False)
    assert [step(tokens_of(tf, length)).numpy().tolist() for length in (8, 9, 10, 9)] == [
        [2, 8],
        [2, 9],
        [2, 10],
        [2, 9],
    ]
    assert shapes == [[2, 8], [2, 9], [2, 10]]


def test_a_length_of_nothing_and_of_a_bucket(tf: Any) -> None:
    """0 is padded to the first bucket, a bucket stays what it is."""
    step, shapes = noted(tf, lambda tokens: tf.reduce_sum(tokens), relax=False)
    assert [int(step(tokens_of(tf, length))) for length in (0, 4, 8)] == [0, 36, 136]
    assert shapes == [[2, 4], [2, 8]]


def test_the_true_length(tf: Any) -> None:
    """A scalar int32 tensor: a new length is not a new trace, and a mean is right."""

    def mean(tokens: Any, length: Any) -> Any:
        assert (length.dtype, length.shape.rank) == (tf.int32, 0)
        mask = tf.sequence_mask(length, tf.shape(tokens)[1], tf.float32)
        return tf.reduce_sum(tokens * mask) / tf.cast(length, tf.float32), length

    step, shapes = noted(tf, mean, true_length={"tokens": {1: "length"}}, relax=False)
    for _ in range(3):
        for length in range(1, 9):
            value, told = step(tf.ones([2, length]))
            assert (float(value), int(told)) == (2.0, length)
    assert shapes == [[2, 4], [2, 8]]


def test_the_true_length_by_name_and_past_the_last_bucket(tf: Any) -> None:
    """It is told there, too; and whoever gives it by hand is not overruled."""
    step = traceonce.function(
        lambda tokens, scale=1, *, length=None: length * scale, pad=PAD, true_length={"tokens": {1: "length"}}
    )
    for _ in range(3):
        assert [int(step(tokens_of(tf, length))) for length in (3, 8, 11)] == [3, 8, 11]
        assert int(step(tokens=tokens_of(tf, 3), scale=2)) == 6
        assert int(step(tokens_of(tf, 3), length=tf.constant(5))) == 5


def test_results_are_cut_back(tf: Any) -> None:
    """The whole result, parts of it, several axes, negative axes; what is not named is left."""
    pad = {"tokens": {0: (4,), 1: (4, 8)}}

    def program(result: Callable[[Any], Any], unpad: Any, rows: int, length: int) -> Any:
        step = traceonce.function(result, pad=pad, unpad=unpad)
        return [step(tf.ones([rows, length])) for _ in range(3)]

    for rows, length in ((1, 3), (3, 5), (4, 8), (5, 9)):
        whole = program(lambda tokens: tokens * 2.0, {"": {0: ("tokens", 0), 1: ("tokens", 1)}}, rows, length)
        assert [plain(one) for one in whole] == [plain(tf.ones([rows, length]) * 2.0)] * 3
        last = program(lambda tokens: tokens[0], {"": {-1: ("tokens", 1)}}, rows, length)
        assert [one.shape.as_list() for one in last] == [[length]] * 3
        parts = program(
            lambda tokens: {"logits": [tokens, (tokens,)], "kept": tokens},
            {"['logits'][0]": {1: ("tokens", 1)}, "['logits'][1][0]": {0: ("tokens", 0)}},
            rows,
            length,
        )
        for one in parts:
            shapes = [one["logits"][0].shape, one["logits"][1][0].shape, one["kept"].shape]
            bucket_rows, bucket = max(rows, 4), length if length > 8 else 4 if length <= 4 else 8
            assert shapes == [[bucket_rows, length], [rows, bucket], [bucket_rows, bucket]]
            assert isinstance(one["logits"], list)
            assert isinstance(one["logits"][1], tuple)


def test_results_equal_those_without_padding(tf: Any) -> None:
    """A row-wise model, padded and cut back, against tf.function on the bare input."""
    weight = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    body = lambda tokens, scale: {"y": tf.nn.relu(tokens @ weight) * scale}  # noqa: E731
    padded = traceonce.function(body, pad=PAD, unpad={"['y']": {1: ("tokens", 1)}})
    bare = tf.function(body)
    for _ in range(3):
        for length in (1, 3, 4, 6, 9):
            x = tf.cast(tf.reshape(tf.range(2 * length * 3), [2, length, 3]), tf.float32)
            for scale in (1.0, 2.0, 3.0):
                assert plain(padded(x, scale)) == plain(bare(x, scale))


def test_under_a_tape(tf: Any) -> None:
    """Gradients flow back through padding and cutting, to the tensor before it and to variables."""
    weight = tf.Variable(3.0)
    body = lambda tokens: tokens * tokens * weight  # noqa: E731
    padded = traceonce.function(body, pad=PAD, unpad={"": {1: ("tokens", 1)}})
    bare = tf.function(body)

    def gradients(step: Any, length: int) -> Any:
        x = tf.reshape(tf.range(1.0, 2.0 * length + 1.0), [2, length])
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(step(x))
            first = tape.gradient(loss, [x, weight])
        return first, outer.gradient(first[0], x)

    for _ in range(3):
        for length in (1, 3, 4, 5, 9):
            assert plain(gradients(padded, length)) == plain(gradients(bare, length))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "complex64", "float16"])
def test_numpy_input(tf: Any, dtype: str) -> None:
    """Arrays and lists are padded with what is zero of their type, which stays."""
    step, shapes = noted(tf, lambda tokens: tokens, relax=False)
    for _ in range(3):
        for length in (2, 3, 6):
            array = np.ones([2, length], dtype)
            bucket = 4 if length <= 4 else 8
            assert plain(step(array)) == plain(np.pad(array, [(0, 0), (0, bucket - length)]))
            assert plain(step(array.tolist()))[1] == (2, bucket)
    assert {tuple(shape) for shape in shapes} == {(2, 4), (2, 8)}


def test_strings_and_variables(tf: Any) -> None:
    """Texts are padded with empty ones, a variable with its value."""
    step, _ = noted(tf, lambda tokens: tokens)
    for _ in range(3):
        assert step(tf.constant([["a", "b", "c"]])).numpy().tolist() == [[b"a", b"b", b"c", b""]]
        assert step(tf.Variable([[1.0, 2.0]])).numpy().tolist() == [[1.0, 2.0, 0.0, 0.0]]


def test_jit_compiled(tf: Any) -> None:
    """XLA compiles once for each shape that it is given; that is the number of buckets."""
    step, shapes = noted(
        tf,
        lambda tokens, length: tf.reduce_sum(tokens) / tf.cast(length, tf.float32),
        jit_compile=True,
        relax=False,
        true_length={"tokens": {1: "length"}},
    )
    for _ in range(3):
        assert [float(step(tf.ones([2, length]))) for length in range(1, 9)] == [2.0] * 8
    assert shapes == [[2, 4], [2, 8]]


def test_methods(tf: Any) -> None:
    """`self` is no argument that can be padded; each object has its own."""

    class Model(tf.Module):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = tf.Variable(factor)

        @traceonce.function(pad=PAD, true_length={"tokens": {1: "length"}}, unpad={"[0]": {1: ("tokens", 1)}})
        def step(self, tokens: Any, length: Any = None) -> Any:
            return tokens * self.factor, length

    for model in (Model(2.0), Model(3.0)):
        for _ in range(3):
            for length in (1, 3, 5):
                result, told = model.step(tf.ones([2, length]))
                assert plain(result) == plain(tf.ones([2, length]) * model.factor)
                assert int(told) == length


def test_inside_other_functions_and_strategies(tf: Any) -> None:
    """Where the shape is known it is padded there as well."""
    step, shapes = noted(tf, lambda tokens: tf.reduce_sum(tokens) + float(tokens.shape[1]), relax=False)
    outer = tf.function(lambda x: step(x) * 2.0)
    strategies = [tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.MirroredStrategy(["CPU:0"])]
    for _ in range(3):
        for length in (2, 3):
            x = tf.ones([2, length])
            assert float(step(x)) == 2.0 * length + 4.0
            assert float(outer(x)) == 4.0 * length + 8.0
            for strategy in strategies:
                assert float(strategy.run(step, args=(x,))) == 2.0 * length + 4.0
    assert {shape[1] for shape in shapes} == {4}


def test_run_eagerly(tf: Any) -> None:
    """The answers are the same where functions run as Python."""
    step, _ = noted(tf, lambda tokens, length: (tokens * 2.0, length), true_length={"tokens": {1: "length"}})
    before = plain(step(tf.ones([2, 3])))
    tf.config.run_functions_eagerly(True)
    try:
        assert plain(step(tf.ones([2, 3]))) == before
    finally:
        tf.config.run_functions_eagerly(False)


def test_with_a_signature(tf: Any) -> None:
    """One trace for all, and padding before it."""
    step = traceonce.function(
        lambda tokens: (tokens, tf.shape(tokens)[1]),
        input_signature=[tf.TensorSpec([None, None], tf.float32)],
        pad=PAD,
        unpad={"[0]": {1: ("tokens", 1)}},
    )
    for _ in range(3):
        for length, bucket in ((1, 4), (5, 8), (9, 9)):
            result, size = step(tf.ones([2, length]))
            assert (result.shape.as_list(), int(size)) == ([2, length], bucket)
    assert traceonce.stats(step).traces == 1


def test_errors(tf: Any) -> None:
    """Of a call that does not fit: TensorFlow's. Of an argument without such an axis: one that names it."""
    step = traceonce.function(lambda tokens: tokens, pad=PAD)
    reference = tf.function(step.python_function)
    for _ in range(3):
        assert outcome(step) == outcome(reference)
        assert outcome(step, tf.ones([2, 3]), 5) == outcome(reference, tf.ones([2, 3]), 5)
        with pytest.raises(ValueError, match=r"tokens.*axis 1"):
            step(tf.ones([3]))


def test_tracebacks_stay_short(tf: Any) -> None:
    """Where padding stands between the user and the call there is one frame of ours, as without."""
    step = traceonce.function(lambda tokens, i: tf.gather(tokens, i), pad=PAD)
    package = str(Path(traceonce.__file__).parent)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            step(tf.ones([2, 3]), tf.constant(9))
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert len([frame for frame in frames if frame.filename.startswith(package)]) == 1
        assert package not in str(caught.value)


def test_padding_and_lifting_together(tf: Any) -> None:
    """A number beside the padded argument is lifted as ever."""
    step, shapes = noted(tf, lambda tokens, k: tf.reduce_sum(tokens) * k, relax=False)
    for number in range(1, 5):
        assert float(step(tf.ones([2, number]), float(number))) == 2.0 * number * number
    assert len(shapes) == 4
    assert traceonce.stats(step).lifted == 1


def test_two_padded_arguments_and_a_missing_one(tf: Any) -> None:
    """Each by its own buckets; an argument that is left out or None is not padded."""
    step = traceonce.function(
        lambda tokens, mask=None: (tf.shape(tokens), None if mask is None else tf.shape(mask)),
        pad={**PAD, "mask": {0: (3,)}},
    )
    for _ in range(3):
        assert plain(step(tf.ones([2, 3]), tf.ones([1]))) == plain((tf.constant([2, 4]), tf.constant([3])))
        assert plain(step(tf.ones([2, 3]))) == plain((tf.constant([2, 4]), None))
        assert plain(step(tf.ones([2, 3]), mask=None)) == plain((tf.constant([2, 4]), None))
