"""Gradients through `traceonce.function` are those of `tf.function`; each case is called three times, to be a hit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, alike, outcome, plain, thrice


class Step(NamedTuple):
    """A function with two outputs in a structure, its two inputs, and the variable that it captures."""

    call: Any
    x: Any
    y: Any
    weight: Any


def a_step(tf: Any, function: Maker, **options: Any) -> Step:
    weight = tf.Variable(3.0)

    @function(**options)
    def step(x: Any, y: Any) -> Any:
        return x * x * weight + tf.sin(y) * weight * weight, {"sum": x + y}

    return Step(step, tf.constant(2.0), tf.constant(5.0), weight)


def plain_tape(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        result, _ = step.call(step.x, step.y)
    return result, tape.gradient(result, [step.x, step.weight, step.y])


def persistent_tape(tf: Any, step: Step) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([step.x, step.y])
        result, more = step.call(step.x, step.y)
    return tape.gradient(result, [step.x, step.weight, step.y]), tape.gradient(more["sum"], [step.x, step.y])


def two_tapes_at_once(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as one, tf.GradientTape() as other:
        one.watch(step.x)
        other.watch(step.y)
        result, _ = step.call(step.x, step.y)
    return one.gradient(result, [step.x, step.y]), other.gradient(result, [step.x, step.y])


def second_order(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(step.x)
        with tf.GradientTape() as inner:
            inner.watch(step.x)
            result, _ = step.call(step.x, step.y)
        first = inner.gradient(result, step.x)
    return first, outer.gradient(first, [step.x, step.weight])


def third_order(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(step.y)
        with tf.GradientTape() as middle:
            middle.watch(step.y)
            with tf.GradientTape() as inner:
                inner.watch(step.y)
                result, _ = step.call(step.x, step.y)
            first = inner.gradient(result, step.y)
        second = middle.gradient(first, step.y)
    return outer.gradient(second, step.y)


def forward_mode(tf: Any, step: Step) -> Any:
    with tf.autodiff.ForwardAccumulator(step.x, tf.constant(1.0)) as accumulator:
        result, more = step.call(step.x, step.y)
    return accumulator.jvp(result), accumulator.jvp(more["sum"])


def forward_mode_of_a_variable(tf: Any, step: Step) -> Any:
    with tf.autodiff.ForwardAccumulator(step.weight, tf.constant(1.0)) as accumulator:
        result, more = step.call(step.x, step.y)
    return accumulator.jvp(result), accumulator.jvp(more["sum"])


def forward_over_backward(tf: Any, step: Step) -> Any:
    with tf.autodiff.ForwardAccumulator(step.x, tf.constant(1.0)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(step.x)
            result, _ = step.call(step.x, step.y)
        first = tape.gradient(result, step.x)
    return accumulator.jvp(first)


def backward_over_forward(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        with tf.autodiff.ForwardAccumulator(step.x, tf.constant(1.0)) as accumulator:
            result, _ = step.call(step.x, step.y)
        tangent = accumulator.jvp(result)
    return tape.gradient(tangent, step.x)


def forward_over_forward(tf: Any, step: Step) -> Any:
    with tf.autodiff.ForwardAccumulator(step.x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(step.x, tf.constant(1.0)) as inner:
            result, _ = step.call(step.x, step.y)
        return outer.jvp(inner.jvp(result))


def unwatched_variables(tf: Any, step: Step) -> Any:
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        result, _ = step.call(step.x, step.y)
    return tape.gradient(result, step.weight), len(tape.watched_variables())


def one_watched_variable(tf: Any, step: Step) -> Any:
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(step.weight)
        result, _ = step.call(step.x, step.y)
    return tape.gradient(result, step.weight), len(tape.watched_variables())


def watched_variables(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        step.call(step.x, step.y)
    return [variable is step.weight for variable in tape.watched_variables()]


def stopped_recording(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        with tape.stop_recording():
            result, _ = step.call(step.x, step.y)
        after = result * step.x
    return tape.gradient(after, [step.x, step.weight]), len(tape.watched_variables())


def a_tape_that_was_reset(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        step.call(step.x, step.y)
        tape.reset()
        tape.watch(step.y)
        result, _ = step.call(step.x, step.y)
    return tape.gradient(result, [step.x, step.y])


def around_two_calls(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        first, _ = step.call(step.x, step.y)
        second, _ = step.call(first, step.x)
    return tape.gradient(second, [step.x, step.weight])


def stopped_gradient(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([step.x, step.y])
        result, _ = step.call(tf.stop_gradient(step.x), step.y)
    return tape.gradient(result, [step.x, step.y])


def jacobian(tf: Any, step: Step) -> Any:
    xs = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        result, _ = step.call(xs, step.y)
    return tape.jacobian(result, xs)


def batch_jacobian(tf: Any, step: Step) -> Any:
    xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        result, _ = step.call(xs, step.y)
    return tape.batch_jacobian(result, xs)


def nothing_is_watched(tf: Any, step: Step) -> Any:
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(tf.constant(1.0))
        result, _ = step.call(step.x, step.y)
    return tape.gradient(result, [step.x, step.weight])


def output_gradients(tf: Any, step: Step) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(step.x)
        result, more = step.call(step.x, step.y)
    return tape.gradient([result, more["sum"]], step.x, output_gradients=[tf.constant(10.0), tf.constant(0.5)])


WAYS = [
    plain_tape,
    persistent_tape,
    two_tapes_at_once,
    second_order,
    third_order,
    forward_mode,
    forward_mode_of_a_variable,
    forward_over_backward,
    backward_over_forward,
    forward_over_forward,
    unwatched_variables,
    one_watched_variable,
    watched_variables,
    stopped_recording,
    a_tape_that_was_reset,
    around_two_calls,
    stopped_gradient,
    jacobian,
    batch_jacobian,
    nothing_is_watched,
    output_gradients,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_way_to_differentiate(tf: Any, way: Callable[[Any, Step], Any]) -> None:
    """Three times each, the first of them also the first call of all."""
    alike(tf, lambda function: thrice(way, tf, a_step(tf, function)))


@pytest.mark.parametrize(
    "way",
    [plain_tape, second_order, forward_mode, unwatched_variables, watched_variables, stopped_recording],
    ids=lambda way: way.__name__,
)
def test_each_way_after_calls_without_a_tape(tf: Any, way: Callable[[Any, Step], Any]) -> None:
    """What was learned without a tape must not be used where one listens, nor the other way round."""

    def program(function: Maker) -> Any:
        step = a_step(tf, function)
        before = thrice(step.call, step.x, step.y)
        return before, thrice(way, tf, step), thrice(step.call, step.x, step.y)

    alike(tf, program)


def test_all_ways_through_one_function(tf: Any) -> None:
    """Each way builds its own forward function; none may take another's."""

    def program(function: Maker) -> Any:
        step = a_step(tf, function)
        ways = [way for way in WAYS if way is not forward_over_forward]  # 3 s of TensorFlow's
        return [[plain(way(tf, step)) for way in ways] for _ in range(3)]

    alike(tf, program)


def test_calls_under_a_tape_are_hits(tf: Any) -> None:
    """Were they all to go the slow way, this file would prove little."""
    step = a_step(tf, traceonce.function)
    before = [plain_tape(tf, step) for _ in range(4)]
    assert traceonce.stats(step.call).hits >= 3
    assert traceonce.stats(step.call).traces == 1
    assert plain(before[0]) == plain(before[-1])


def test_gradients_of_a_variable_that_is_an_argument(tf: Any) -> None:
    """It is watched for being accessed, though nothing captures it."""

    def program(function: Maker) -> Any:
        step = function(lambda variable, x: variable * variable * x)
        variables = [tf.Variable(2.0), tf.Variable(5.0), tf.Variable(7.0, trainable=False)]

        def gradients(variable: Any) -> Any:
            with tf.GradientTape() as tape:
                result = step(variable, tf.constant(3.0))
            return tape.gradient(result, variable), [seen is variable for seen in tape.watched_variables()]

        return [thrice(gradients, variable) for variable in variables]

    alike(tf, program)


def test_the_same_variable_twice_and_two_variables(tf: Any) -> None:
    """Both uses of one variable add up."""

    def program(function: Maker) -> Any:
        step = function(lambda a, b: a * a * b)
        v, w = tf.Variable(2.0), tf.Variable(5.0)

        def gradients(*variables: Any) -> Any:
            with tf.GradientTape() as tape:
                result = step(*variables)
            return tape.gradient(result, [v, w])

        pairs = [(v, v), (v, w), (w, v), (w, w), (v, v)]
        return [thrice(gradients, *pair) for pair in pairs]

    alike(tf, program)


def test_the_same_tensor_twice(tf: Any) -> None:
    """Unlike variables, tensors are two inputs even if they are one object."""

    def program(function: Maker) -> Any:
        step = function(lambda a, b: a * a * b)
        x, y = tf.constant(2.0), tf.constant(5.0)

        def gradients(*inputs: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                result = step(*inputs)
            return tape.gradient(result, [x, y])

        return [thrice(gradients, *pair) for pair in [(x, x), (x, y), (y, x), (x, x)]]

    alike(tf, program)


def test_a_tape_goes_on_after_a_call_that_failed(tf: Any) -> None:
    """What stops the tape while a graph runs must start it again."""

    def program(function: Maker) -> Any:
        step = function(lambda x, i: tf.gather(x * x, i))
        x = tf.constant([1.0, 2.0, 3.0])

        def gradients() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                before = step(x, tf.constant(1))
                failed = outcome(step, x, tf.constant(9))
                after = step(x, tf.constant(2))
            return failed, tape.gradient(before + 10.0 * after, x)

        return thrice(gradients)

    alike(tf, program)


def test_a_custom_gradient_inside(tf: Any) -> None:
    """Its own backward function is used, in the first order and in the second."""

    def program(function: Maker) -> Any:
        @tf.custom_gradient
        def tenfold(x: Any) -> Any:
            return x * x, lambda upstream: upstream * x * 10.0

        step = function(lambda x: tenfold(x) + x)
        x = tf.constant(3.0)

        def gradients() -> Any:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    result = step(x)
                first = inner.gradient(result, x)
            return result, first, outer.gradient(first, x)

        return thrice(gradients)

    alike(tf, program)


def test_a_tape_inside(tf: Any) -> None:
    """Alone, and with one around it."""

    def program(function: Maker) -> Any:
        weight = tf.Variable(2.0)

        @function
        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = x * x * x * weight
            return tape.gradient(result, [x, weight])

        x = tf.constant(2.0)

        def around() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                first, _ = slope(x)
            return tape.gradient(first, [x, weight])

        return thrice(slope, x), thrice(around), thrice(slope, x)

    alike(tf, program)


def test_a_training_step_with_an_optimizer(tf: Any) -> None:
    """Twelve steps of both, weight by weight."""

    def program(function: Maker) -> Any:
        weights = [tf.Variable([[0.1], [0.2]]), tf.Variable([0.3])]
        optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
        optimizer.build(weights)

        @function
        def train(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ weights[0] + weights[1] - y) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        losses = [
            train(tf.ones([rows, 2]) * float(rows), tf.ones([rows, 1])) for rows in (1, 2, 3, 4, 3, 2, 1, 4, 4, 1, 2, 3)
        ]
        return losses, weights

    alike(tf, program)


def test_gradients_while_shapes_and_numbers_change(tf: Any) -> None:
    """Relaxed and lifted traces have gradients too."""

    def program(function: Maker) -> Any:
        weight = tf.Variable(3.0)
        step = function(lambda x, k: tf.reduce_sum(x * x * weight) * k)

        def gradients(size: int, k: float) -> Any:
            x = tf.range(1.0, size + 1.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = step(x, k)
            return result, tape.gradient(result, [x, weight])

        return [thrice(gradients, size, k) for size in (1, 2, 3) for k in (1.0, 2.0, 4.0)]

    alike(tf, program)


def test_a_lifted_number_gets_no_gradient(tf: Any) -> None:
    """A tensor argument that nobody watches is no source of gradients, and a tape around does not find it."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k: x * k)
        x = tf.constant(3.0)

        def gradients(k: float) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = step(x, k)
            return tape.gradient(result, x), len(tape.watched_variables())

        return [thrice(gradients, k) for k in (1.0, 2.0, 4.0, 8.0)]

    alike(tf, program)


def test_outputs_of_every_structure(tf: Any) -> None:
    """An output that is None, an integer, an input itself, or nested: gradients flow where they can."""

    def program(function: Maker) -> Any:
        @function
        def step(x: Any) -> Any:
            return {"a": (x, x * 2.0), "b": [tf.cast(x, tf.int32), None], "c": tf.stop_gradient(x * x)}

        x = tf.constant(3.0)

        def gradients() -> Any:
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                result = step(x)
            parts = [result["a"][0], result["a"][1], result["c"]]
            return result, [tape.gradient(part, x) for part in parts]

        return thrice(gradients)

    alike(tf, program)


def test_gather_gives_indexed_slices(tf: Any) -> None:
    """Sparse gradients stay sparse."""

    def program(function: Maker) -> Any:
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        step = function(lambda rows: tf.reduce_sum(tf.gather(table, rows) ** 2))

        def gradients(*rows: int) -> Any:
            with tf.GradientTape() as tape:
                result = step(tf.constant(rows))
            gradient = tape.gradient(result, table)
            return type(gradient).__name__, tf.convert_to_tensor(gradient)

        return [thrice(gradients, *rows) for rows in [(0,), (1, 2), (2, 2, 0)]]

    alike(tf, program)


def test_inside_another_function_under_a_tape(tf: Any) -> None:
    """The inner one sees symbolic tensors; the tape is around the outer one, or in it."""

    def program(function: Maker) -> Any:
        step = a_step(tf, function)

        @tf.function
        def outer(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result, _ = step.call(x, step.y)
            return result, tape.gradient(result, [x, step.weight])

        def around() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(step.x)
                _, (slope, _) = outer(step.x)
            return tape.gradient(slope, [step.x, step.weight])

        return thrice(outer, step.x), thrice(around)

    alike(tf, program)


def test_recompute_grad(tf: Any) -> None:
    """A checkpointed function inside."""

    def program(function: Maker) -> Any:
        weight = tf.Variable(2.0)
        block = tf.recompute_grad(lambda x: tf.sin(x * weight))
        step = function(lambda x: block(x) * x)
        x = tf.constant(0.7)

        def gradients() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = step(x)
            return tape.gradient(result, [x, weight])

        return thrice(gradients)

    alike(tf, program)


def test_control_flow_under_a_tape(tf: Any) -> None:
    """A while loop and a branch on a tensor, whose backward functions keep accumulators."""

    def program(function: Maker) -> Any:
        @function
        def power(x: Any, times: Any) -> Any:
            result = tf.ones_like(x)
            for _ in tf.range(times):
                result = result * x
            if result > 10.0:
                result = result / 10.0
            return result

        def gradients(x: float, times: int) -> Any:
            base = tf.constant(x)
            with tf.GradientTape() as outer:
                outer.watch(base)
                with tf.GradientTape() as tape:
                    tape.watch(base)
                    result = power(base, tf.constant(times))
                first = tape.gradient(result, base)
            return result, first, outer.gradient(first, base)

        return [thrice(gradients, x, times) for x, times in [(2.0, 2), (2.0, 5), (3.0, 1)]]

    alike(tf, program)


def test_complex_and_half_precision(tf: Any) -> None:
    """Every dtype that has gradients."""

    def program(function: Maker) -> Any:
        step = function(lambda x: tf.abs(x * x))

        def gradients(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = step(x)
            gradient = tape.gradient(result, x)
            return str(gradient.dtype), tf.cast(gradient, tf.complex64)

        inputs = [tf.constant(2, dtype) for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex64)]
        return [thrice(gradients, x) for x in inputs]

    alike(tf, program)


def test_jit_compiled_gradients(tf: Any) -> None:
    """XLA compiles the forward and the backward function."""

    def program(function: Maker) -> Any:
        step = a_step(tf, function, jit_compile=True)
        return thrice(plain_tape, tf, step), thrice(second_order, tf, step)

    alike(tf, program)
