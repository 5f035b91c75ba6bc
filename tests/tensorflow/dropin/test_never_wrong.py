"""`traceonce.function` is never silently wrong: each of these gave other numbers, other errors or other gradients once.

The referee is a `tf.function` that is made anew for every call. Three modes: as it is, under a tape, and with neither
shapes nor numbers widened.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, outcome, plain

Program = Callable[[Any, Maker], Iterator[Any]]
PROGRAMS: dict[str, Program] = {}


def program(make: Program) -> Program:
    PROGRAMS[make.__name__.replace("_", " ")] = make
    return make


def ones(tf: Any, *sizes: int) -> list[Any]:
    return [tf.ones([size]) for size in sizes]


# --- what a trial leaves behind


@program
def an_inner_function_that_looks_at_sizes(tf: Any, function: Maker) -> Iterator[Any]:
    inner = tf.function(lambda x: x if x.shape[0] == 3 else x * 2)
    outer = function(lambda x: inner(x))
    yield from (outcome(outer, x) for x in ones(tf, 1, 2, 3))
    yield from (outcome(inner, x) for x in ones(tf, 3, 1))


@program
def an_inner_function_that_returns_a_size(tf: Any, function: Maker) -> Iterator[Any]:
    inner = function(lambda x: x.shape[0])
    outer = function(lambda x: inner(x))
    yield from (outcome(outer, x) for x in ones(tf, 1, 2, 3))


@program
def an_inner_function_of_a_number(tf: Any, function: Maker) -> Iterator[Any]:
    inner = tf.function(lambda x, k: x * k if isinstance(k, int) else -x)
    outer = function(lambda x, k: inner(x, k))
    yield from (outcome(outer, tf.ones([2]), k) for k in (1, 2, 3, 4))
    yield outcome(inner, tf.ones([2]), tf.constant(2.0))


@program
def an_unused_operation_behind_a_loop(tf: Any, function: Maker) -> Iterator[Any]:
    """Of what a loop stacks, only Python knows the size, and what nobody uses is never run."""

    def body(x: Any, k: int) -> Any:
        doubled = tf.map_fn(lambda u: u * 2.0, x)
        return [tf.tile(doubled, [2])[k], doubled][1]

    traced = function(body, autograph=False)
    yield from (outcome(traced, x, k) for x, k in zip(ones(tf, 1, 0, 2, 1), (1, 2, 3, 3), strict=True))


@program
def an_assertion_about_what_comes_out_of_a_loop(tf: Any, function: Maker) -> Iterator[Any]:
    """TensorFlow knows its size while it traces, and refuses before anything is written."""
    written = tf.Variable(2.0)

    @function
    def body(x: Any) -> Any:
        doubled = tf.map_fn(lambda u: u * 2.0, x)
        written.assign_add(1.0)
        tf.debugging.assert_less(tf.size(doubled), 4)
        return doubled

    for x in ones(tf, 2, 1, 3, 4, 1):
        yield outcome(body, x), written.numpy()


# --- what an argument is


def _kinds(outcomes: list[Any]) -> list[Any]:
    """Values as they are; of an error, which one."""
    return [getattr(one, "kind", one) for one in outcomes]


def test_a_concrete_function_has_the_sizes_that_were_asked_for(tf: Any) -> None:
    traced = traceonce.function(lambda x: x * 2.0)
    for x in ones(tf, 1, 2):
        traced(x)
    assert traced.get_concrete_function(tf.ones([3])).structured_outputs.shape == [3]
    assert traced.get_concrete_function(tf.TensorSpec([5])).structured_outputs.shape == [5]
    assert traced.get_concrete_function(tf.TensorSpec([None])).structured_outputs.shape == [None]


@program
def ragged_rows_of_one_length(tf: Any, function: Maker) -> Iterator[Any]:
    traced = function(lambda rows: [rows.to_tensor(), rows.uniform_row_length is None])
    yield plain(traced(tf.RaggedTensor.from_uniform_row_length(tf.range(4.0), 2)))
    yield plain(traced(tf.RaggedTensor.from_row_lengths(tf.range(4.0), [2, 2])))
    yield plain(traced(tf.RaggedTensor.from_uniform_row_length(tf.range(6.0), 2)))


# --- gradients


@program
def a_loop_under_xla(tf: Any, function: Maker) -> Iterator[Any]:
    @function(jit_compile=True)
    def apply(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = tf.sin(x)
        return x

    x = tf.ones([3])
    for n in (1, 2, 3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = apply(x, n)
        yield outcome(tape.gradient, y, x)


@program
def a_branch_that_leaves_a_variable_out(tf: Any, function: Maker) -> Iterator[Any]:
    one, two = tf.Variable(1.0), tf.Variable(2.0)

    @function
    def loss(x: Any, epoch: Any) -> Any:
        y = tf.reduce_sum(x * one)
        if epoch < 2:
            y = y + two
        return y

    for epoch in range(5):
        with tf.GradientTape() as tape:
            y = loss(tf.ones([3]), epoch)
        yield len(tape.watched_variables()), plain(tape.gradient(y, [one, two]))


@program
def what_a_trial_reads_is_not_watched(tf: Any, function: Maker) -> Iterator[Any]:
    variables = [tf.Variable(float(number)) for number in range(4)]
    choose = function(lambda x, k: x * variables[k] if k < 2 else x * variables[k] * 2.0)
    for k in range(4):
        with tf.GradientTape() as tape:
            choose(tf.ones([2]), k)
        yield [variable.name for variable in tape.watched_variables()], len(tape.watched_variables())


@program
def forward_mode(tf: Any, function: Maker) -> Iterator[Any]:
    power, product = function(lambda x, r: tf.pow(r, 2)), function(lambda x, r: x * r)
    for rate in (1.0, 2.0, 3.0, 4.0):
        x = tf.ones([3])
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y, z = power(x, rate), product(x, rate)
        yield plain(accumulator.jvp(y)), plain(accumulator.jvp(z))


@program
def persistent_and_nested_tapes_over_lists(tf: Any, function: Maker) -> Iterator[Any]:
    mapped = function(lambda x: tf.map_fn(tf.sin, x))
    for size in (3, 3, 2, 4):
        x = tf.ones([size])
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(x)
                y = mapped(x)
            first = inner.gradient(y, x)
        yield plain([first, outer.gradient(first, x), outer.gradient(y, x)])


@program
def a_gradient_of_their_own_that_looks_at_sizes(tf: Any, function: Maker) -> Iterator[Any]:
    @tf.custom_gradient
    def double(x: Any) -> Any:
        return x * 2.0, lambda upstream: upstream * (5.0 if x.shape[0] == 3 else 7.0)

    called = function(lambda x: double(x) + 1.0)
    for size in (1, 2, 3, 4):
        x = tf.ones([size])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = called(x)
        yield plain(tape.gradient(y, x))


@program
def a_gradient_of_their_own_in_an_inner_function(tf: Any, function: Maker) -> Iterator[Any]:
    @tf.custom_gradient
    def double(x: Any) -> Any:
        return x * 2.0, lambda upstream: upstream * (5.0 if x.shape[0] == 3 else 7.0)

    inner = function(lambda x: double(x))
    yield from (outcome(inner, x) for x in ones(tf, 1, 2))

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return tape.gradient(y, x)

    yield from (outcome(tf.function(slope), x) for x in ones(tf, 3, 1))


# --- errors, and what is no error


@program
def a_number_that_is_only_tested(tf: Any, function: Maker) -> Iterator[Any]:
    @function
    def scale(x: Any, n: Any) -> Any:
        name = "train" if n else "warm-up"
        return x * 2.0 if name else x

    yield from (outcome(scale, tf.ones([3]), n) for n in (0, 1, 2))


@program
def an_error_that_is_handled(tf: Any, function: Maker) -> Iterator[Any]:
    @function
    def add(x: Any) -> Any:
        try:
            return x + tf.ones([3])
        except ValueError:
            return x

    yield from (outcome(add, x) for x in ones(tf, 3, 1, 2))


@program
def a_check_of_the_static_shape(tf: Any, function: Maker) -> Iterator[Any]:
    reshape = function(lambda x: tf.reshape(x, [2]))
    transpose = function(lambda x: tf.transpose(x, [0, 1]))
    yield from (_kinds([outcome(reshape, x)]) for x in ones(tf, 2, 3, 4))
    yield from (_kinds([outcome(transpose, tf.ones([1] * rank))]) for rank in (2, 3, 4))


@program
def a_promise_about_a_shape(tf: Any, function: Maker) -> Iterator[Any]:
    def promise(x: Any) -> Any:
        y = x * 2.0
        y.set_shape([2])
        return y

    called = function(promise)
    yield from (_kinds([outcome(called, x)]) for x in ones(tf, 2, 3, 1))


@program
def labels_and_logits_that_do_not_fit(tf: Any, function: Maker) -> Iterator[Any]:
    loss = function(lambda a, b: tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b))
    for one, two in ((1, 1), (2, 2), (3, 3), (3, 1), (1, 3), (2, 3)):
        yield _kinds([outcome(loss, tf.ones([one]), tf.ones([two]))])


@program
def an_operation_that_nobody_uses(tf: Any, function: Maker) -> Iterator[Any]:
    shapes = function(lambda x: [tf.matmul(tf.ones([1, 2]), x[:, None]), x][1])
    numbers = function(lambda x, n: [x[n], x][1])
    yield from (_kinds([outcome(shapes, x)]) for x in ones(tf, 2, 3, 4))
    yield from (_kinds([outcome(numbers, tf.ones([3]), n)]) for n in (0, 1, 2, 5))


@program
def a_check_of_the_value_in_a_library(tf: Any, function: Maker) -> Iterator[Any]:
    drop = function(lambda x, r: tf.nn.experimental.stateless_dropout(x, r, seed=[1, 2]))
    yield from (_kinds([outcome(drop, tf.ones([3]), r)]) for r in (0.1, 0.2, -0.5, 1.5))


@program
def an_index_out_of_range(tf: Any, function: Maker) -> Iterator[Any]:
    take = function(lambda x, n: x[n])
    yield from (_kinds([outcome(take, tf.ones([3]), n)]) for n in (0, 1, 2, 5))


@program
def an_empty_batch(tf: Any, function: Maker) -> Iterator[Any]:
    mapped = function(lambda x: tf.map_fn(lambda row: row * 2, x))
    yield from (outcome(mapped, tf.ones(shape)) for shape in ([2, 2], [3, 3], [0, 5], [4, 4]))


@program
def the_order_of_keys(tf: Any, function: Maker) -> Iterator[Any]:
    ranks = function(lambda d: [value * 1 for value in d.values()])
    a, b = tf.ones, tf.constant(2.0)
    for argument in ({"a": a([1]), "b": b}, {"a": a([2]), "b": b}, {"b": b, "a": a([3])}, {"b": b, "a": a([2])}):
        yield plain(ranks(argument))


@program
def an_error_that_comes_before_what_is_written(tf: Any, function: Maker) -> Iterator[Any]:
    """An index that is lifted would be found to be out of range when the variable is written already."""
    written = tf.Variable(0.0)

    def take(x: Any, n: Any) -> Any:
        written.assign_add(1.0)
        return x[n]

    def add(x: Any, n: Any) -> Any:
        written.assign_add(1.0)
        return tf.reduce_sum(x, axis=n)

    for body in (take, add):
        traced = function(body)
        for n in (0, 1, 7, 1, -1):
            yield _kinds([outcome(traced, tf.ones([2, 2]), n)]), plain(written)


# --- what is not the argument's own


@program
def equal_lambdas_over_the_environment(tf: Any, function: Maker) -> Iterator[Any]:
    apply = function(lambda x, k: k(x))
    for value in ("1", "2", "3"):
        os.environ["TRACEONCE_TEST_FACTOR"] = value
        yield plain(apply(tf.ones([2]), lambda x: x * float(os.environ["TRACEONCE_TEST_FACTOR"])))


@program
def equal_lambdas_over_the_settings_of_keras(tf: Any, function: Maker) -> Iterator[Any]:
    keras = tf.keras
    apply = function(lambda x, k: k(x))
    try:
        for kind in ("float32", "float64", "float16"):
            keras.backend.set_floatx(kind)
            yield apply(tf.ones([2]), lambda x: tf.cast(x, keras.backend.floatx())).dtype.name
    finally:
        keras.backend.set_floatx("float32")


@program
def equal_lambdas_over_everything(tf: Any, function: Maker) -> Iterator[Any]:
    apply = function(lambda x, k: k(x))
    for value in (1.0, 2.0, 3.0):
        globals()["FACTOR"] = value
        yield plain(apply(tf.ones([2]), lambda x: x * globals()["FACTOR"]))


@pytest.mark.parametrize("options", [{}, {"relax": False, "lift": False}], ids=["as it is", "strict"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_does_what_a_new_function_does(tf: Any, name: str, options: dict[str, bool]) -> None:
    theirs = list(PROGRAMS[name](tf, functools.partial(_made_anew, tf)))
    ours = list(PROGRAMS[name](tf, functools.partial(_maker, options)))
    assert ours == theirs


def _maker(options: dict[str, Any], body: Any = None, **more: Any) -> Any:
    return traceonce.function(body, **options, **more)


def _made_anew(tf: Any, body: Any = None, **options: Any) -> Any:
    """A `tf.function` for each call."""
    if body is None:
        return functools.partial(_made_anew, tf, **options)
    return lambda *args: tf.function(body, **options)(*args)


# --- no trace of a trial


def state_of(function: Any) -> Any:
    """All that a function keeps of its calls, but how often it was called."""
    names = ("_variable_creation_config", "_no_variable_creation_config", "_created_variables")
    held = {name: getattr(function, name) for name in names}
    return held, dict(function._function_cache._primary), vars(function).get("_concrete_variable_creation_fn")


@pytest.mark.parametrize("kind", ["tf.function", "traceonce.function"])
@pytest.mark.parametrize("outcome_of_it", ["kept", "refused", "failed"])
@pytest.mark.parametrize("what", ["shapes", "numbers"])
def test_a_trial_leaves_other_functions_as_they_were(tf: Any, what: str, outcome_of_it: str, kind: str) -> None:
    """Called before, and never called before: a trial that ends well or not shows in neither."""
    make = tf.function if kind == "tf.function" else traceonce.function
    known, fresh = make(lambda x: x + 1.0), make(lambda x: x * 3.0)
    known(tf.ones([1]))
    states: list[Any] = []
    in_trial = {"shapes": lambda x, k: x.shape[0] is None, "numbers": lambda x, k: tf.is_tensor(k)}[what]

    def body(x: Any, k: Any) -> Any:
        if not in_trial(x, k):
            return x * k
        states.append([state_of(known), state_of(fresh)])
        y = known(x) + fresh(x) - x
        if outcome_of_it == "failed":
            raise ValueError
        return x * k if outcome_of_it == "kept" else y

    called = traceonce.function(body, autograph=False)
    for number in (1, 2, 3):
        called(tf.ones([number if what == "shapes" else 2]), 2.0 if what == "shapes" else float(number))
    assert states, "nothing was tried"
    assert [state_of(known), state_of(fresh)] == states[0]
    assert float(tf.reduce_sum(known(tf.ones([3])) + fresh(tf.ones([3])))) == 15.0


def test_a_trial_does_not_show_in_the_tapes_around_it(tf: Any) -> None:
    """A tape that a body stops and restarts itself is still recording after a trial."""
    tape = tf.GradientTape()
    x = tf.Variable([1.0, 2.0, 3.0])

    @traceonce.function(autograph=False)
    def body(y: Any) -> Any:
        with tape.stop_recording():
            z = y * 2.0
        return y * z

    with tape:
        results = [body(x[:size] * 1.0) for size in (1, 2, 3, 2)]
        total = tf.add_n([tf.reduce_sum(result) for result in results])
    reference = tf.GradientTape()
    with reference:
        expected = tf.add_n([tf.reduce_sum(x[:size] * tf.stop_gradient(x[:size] * 2.0)) for size in (1, 2, 3, 2)])
    assert tape.gradient(total, x) is not None
    assert tf.reduce_all(total == expected)


@pytest.mark.parametrize("size", [3, 4])
def test_an_error_has_no_other_behind_it(tf: Any, size: int) -> None:
    """A wider trace that fails, and the trace of the call's own after it: one error, as from `tf.function`."""
    take = traceonce.function(lambda x, n: x[n])
    for number in (0, 1, 2):
        take(tf.ones([3]), number)
    assert traceonce.stats(take).lifted == 1
    with pytest.raises(ValueError, match="out of bounds") as caught:
        take(tf.ones([3]), size)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    package = os.path.dirname(traceonce.__file__)
    assert len([entry for entry in caught.traceback if str(entry.path).startswith(package)]) == 1


@pytest.mark.parametrize("overlooked", [False, True])
def test_an_error_of_tracing_is_raised_and_nothing_is_run_twice(
    tf: Any, overlooked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that TensorFlow makes while it traces, as it knows the size then: before effects, if we know of it."""
    if overlooked:
        monkeypatch.setattr("traceonce.frameworks.tensorflow.dropin.sizes.Sizes.admit", lambda self, shapes: True)
    count = tf.Variable(0)

    def check(x: Any) -> Any:
        count.assign_add(1)
        tf.debugging.assert_less(tf.size(x), 4)
        return x * 2.0

    take = traceonce.function(check, autograph=False)
    for size in (1, 2, 3):
        take(tf.ones([size]))
    assert traceonce.stats(take).relaxed == 1
    expected = outcome(tf.function(check, autograph=False), tf.ones([5]))
    before = int(count)
    assert outcome(take, tf.ones([5])) == expected
    assert int(count) == before + overlooked


# --- and yet it traces less


@pytest.mark.parametrize("kind", ["attention", "recurrent", "convolution"])
def test_a_training_step_over_lengths_has_two_traces(tf: Any, kind: str) -> None:
    """With Adam, whose first steps make much of the last digits; and the losses are those of `tf.function`."""
    keras = tf.keras

    def inner(x: Any) -> Any:
        if kind == "attention":
            return keras.layers.GlobalAveragePooling1D()(x + keras.layers.MultiHeadAttention(2, 4)(x, x))
        if kind == "recurrent":
            return keras.layers.LSTM(4)(x)
        return keras.layers.GlobalMaxPooling1D()(keras.layers.BatchNormalization()(keras.layers.Conv1D(4, 3)(x)))

    def train(function: Maker) -> tuple[list[float], Any]:
        keras.utils.set_random_seed(1)
        words = keras.Input([None], dtype="int32")
        model = keras.Model(words, keras.layers.Dense(3)(inner(keras.layers.Embedding(50, 8)(words))))
        optimizer, loss = keras.optimizers.Adam(1e-2), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer.build(model.trainable_variables)

        @function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            gradients = tape.gradient(value, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return value

        batches = [tf.random.stateless_uniform([4, size], [size, 1], 0, 50, tf.int32) for size in (5, 7, 9, 5, 8, 4)]
        return [float(step(batch, tf.constant([0, 1, 2, 0]))) for batch in batches], step

    expected, _ = train(tf.function)
    found, step = train(traceonce.function)
    assert found == pytest.approx(expected, rel=1e-5)
    assert (traceonce.stats(step).traces, traceonce.stats(step).trials) == (2, 0), traceonce.stats(step).why


WAYS = ("plain", "second", "forward", "forward over backward", "backward over forward")


@pytest.mark.parametrize("options", [{}, {"relax": False, "lift": False}], ids=["default", "strict"])
@pytest.mark.parametrize("before", WAYS)
def test_a_loop_is_differentiated_in_any_order(tf: Any, before: str, options: dict[str, Any]) -> None:
    """A loop that was differentiated backward cannot be differentiated forward: a kept `tf.function` fails."""

    def power(x: Any) -> Any:
        times = tf.constant(0)
        while times < 3:
            x, times = x * x, times + 1
        return x

    def gradient(way: str, function: Any, x: Any) -> Any:
        if way in ("plain", "second"):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x) if way == "plain" else gradient("plain", function, x)
            return tape.gradient(y, x)
        if way == "backward over forward":
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = gradient("forward", function, x)
            return tape.gradient(y, x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x) if way == "forward" else gradient("plain", function, x)
        return accumulator.jvp(y)

    kept, x = traceonce.function(power, **options), tf.constant(1.5)
    for way in (before, before, *WAYS, before):
        assert outcome(gradient, way, kept, x) == outcome(gradient, way, tf.function(power), x), way
    assert gradient("forward", kept, x).numpy() == gradient("plain", kept, x).numpy()


def _mapped(tf: Any, x: Any) -> Any:
    y = tf.map_fn(lambda u: u * 2.0, x) * 1.0
    y.set_shape([2])
    return y


def _mapped_inside(tf: Any, x: Any) -> Any:
    y = tf.function(lambda t: tf.map_fn(lambda u: u * 2.0, t))(x)
    y.set_shape([2])
    return y


def _set_inside(tf: Any, x: Any) -> Any:
    def narrow(y: Any) -> Any:
        y.set_shape([2])
        return y

    return tf.function(narrow)(tf.map_fn(lambda u: u * 2.0, x) * 1.0)


def _labels_of_a_loop(tf: Any, x: Any) -> Any:
    labels = tf.map_fn(lambda u: u * 0.1, x)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("body", [_mapped, _mapped_inside, _set_inside, _labels_of_a_loop])
def test_what_comes_out_of_a_loop_is_held_to_the_size_that_python_knew(tf: Any, body: Callable[..., Any]) -> None:
    """No shape function knows the size of what a loop stacks; `tf.map_fn` sets it, and a wrong one is an error."""
    narrowed = traceonce.function(lambda x: body(tf, x), autograph=False)
    for size in (2, 1, 3, 1, 2):
        assert outcome(narrowed, tf.ones([size])) == outcome(
            tf.function(lambda x: body(tf, x), autograph=False), tf.ones([size])
        )


def test_a_narrower_trace_beside_a_wider_one_serves_what_it_admits_alone(tf: Any) -> None:
    """TensorFlow's own table gives a request for [1] to a trace for [4], once [None] had served it before."""
    again = tf.recompute_grad(lambda u: tf.sin(u) * u)
    scaled = traceonce.function(lambda x, k: again(x) * k)
    scaled(tf.ones([3]), 1.0)
    scaled(tf.ones([1]), 3.0)
    with tf.GradientTape():
        scaled(tf.ones([4]), 3.0)
    assert tf.function(lambda t: scaled(t, 3.0))(tf.ones([1])).shape == [1]


def test_the_jacobian_of_nothing_has_its_own_shape(tf: Any) -> None:
    """How many rows there are decides at trace time what TensorFlow makes of none."""

    def slopes(x: Any, k: int) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x + k
        return tape.jacobian(y, x)

    ours = traceonce.function(slopes)
    for size, k in ((4, 1), (0, 2), (3, 2), (0, 1)):
        assert outcome(ours, tf.ones([size]), k) == outcome(tf.function(slopes), tf.ones([size]), k)
