"""Variables, concrete functions, attributes and copies: the object is that of `tf.function`."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import traceonce
from tests.tensorflow.dropin.doubled import double
from tests.tensorflow.dropin.paired import Maker, alike, outcome, thrice


def test_variables_of_the_first_call(tf: Any) -> None:
    """Made once, with or without help from the arguments; a second one is refused with TensorFlow's words."""

    def counter(function: Maker, initial: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        made: list[Any] = []

        @function
        def step(x: Any) -> Any:
            if not made:
                made.append(tf.Variable(initial(x)))
            return made[0].assign_add(x)

        return step, made

    def program(function: Maker) -> Any:
        answers: list[Any] = []
        for initial in (lambda x: [1.0] * 3, lambda x: tf.ones([3]), lambda x: x + 5.0, lambda x: lambda: [3.0] * 3):
            step, made = counter(function, initial)
            answers += [thrice(step, tf.ones([3])), len(made)]
        again = function(lambda x: tf.Variable(1.0) + x)
        return answers, thrice(again, tf.constant(1.0))

    alike(tf, program)


def test_variables_of_the_first_call_of_a_module(tf: Any) -> None:
    """As layers are written: one variable per object, however often and with whatever it is called."""

    def program(function: Maker) -> Any:
        class Layer(tf.Module):
            weight = None

            @function
            def __call__(self, x: Any, scale: float = 1.0) -> Any:
                if self.weight is None:
                    self.weight = tf.Variable(tf.ones([x.shape[-1], 2]), name="weight")
                return x @ self.weight * scale

        layers = [Layer(), Layer()]
        calls = [(tf.ones([rows, 3]), scale) for rows in (1, 2, 3) for scale in (1.0, 2.0, 3.0)]
        answers = [[thrice(layer, *call) for call in calls] for layer in layers]
        return answers, [[variable.name for variable in layer.variables] for layer in layers]

    alike(tf, program)


def test_an_initialization_function(tf: Any) -> None:
    """Asked for before the first call, refused after it."""

    def program(function: Maker) -> Any:
        made: list[Any] = []

        @function
        def step(x: Any) -> Any:
            if not made:
                made.append(tf.Variable(4.0))
            return made[0] * x

        initialize = step.get_initialization_function(tf.constant(1.0))
        initialize()
        return thrice(step, tf.constant(2.0)), outcome(step.get_initialization_function, tf.constant(1.0))

    alike(tf, program)


def test_a_concrete_function(tf: Any) -> None:
    """For specs or for values: the same signatures, the same answers, and calls use what is there already."""

    def program(function: Maker) -> Any:
        step = function(lambda x, k=2, *, scale=1.0: tf.reduce_sum(x) * k * scale)
        concrete = [
            step.get_concrete_function(tf.TensorSpec([None]), 3),
            step.get_concrete_function(tf.TensorSpec([2], name="named"), k=3),
            step.get_concrete_function(tf.constant([1.0, 2.0])),
            step.get_concrete_function(tf.TensorSpec([None]), 3, scale=tf.TensorSpec([])),
        ]
        x = tf.constant([1.0, 2.0])
        answers = [thrice(concrete[0], x), thrice(concrete[1], named=x), thrice(concrete[2], x)]
        answers.append(thrice(concrete[3], x, scale=tf.constant(5.0)))
        answers += [str(one.structured_input_signature) for one in concrete]
        answers += [step.get_concrete_function(tf.TensorSpec([None]), 3) is concrete[0]]
        answers += [thrice(step, tf.ones([5]), 3), thrice(step, x), step.experimental_get_tracing_count()]
        return answers, outcome(step.get_concrete_function, tf.TensorSpec([2]), bogus=1)

    alike(tf, program)


def test_the_listed_signatures(tf: Any) -> None:
    """Count and text, with a capture, before any call and after each."""

    def program(function: Maker) -> Any:
        weight = tf.Variable(2.0)
        step = function(lambda x, k=2: {"y": x * weight * k})
        texts: list[Any] = []
        for arguments in ([], [tf.constant([1.0])], [tf.constant([1.0]), 2], [tf.constant([[1.0]])]):
            if arguments:
                step(*arguments)
            listed = [step.pretty_printed_concrete_signatures(verbose=verbose) for verbose in (True, False)]
            texts += [re.sub(r"\d{6,}", "a capture", text) for text in listed]
            texts += [step.experimental_get_tracing_count()]
        return texts

    strict = functools.partial(traceonce.function, relax=False)
    assert outcome(program, strict) == outcome(program, tf.function)


def test_attributes_and_inspection(tf: Any) -> None:
    """Whatever can be asked of a function, and what it is an instance of."""
    types = tf.types.experimental

    def program(function: Maker) -> Any:
        @function
        def step(x: Any, *rest: Any, k: int = 3, **named: Any) -> Any:
            """A step."""
            return x

        bodies = [step.python_function, step.__wrapped__, inspect.unwrap(step)]
        return [
            [step.name, step.__name__, step.__qualname__, step.__doc__, step.__module__],
            [body.__name__ for body in bodies],
            [str(inspect.signature(step)), str(step.function_type), str(step.function_spec.fullargspec)],
            [step.input_signature, callable(step), inspect.isfunction(step)],
            [isinstance(step, kind) for kind in (type(tf.function(double)), types.PolymorphicFunction)],
            [isinstance(step, kind) for kind in (types.GenericFunction, types.Callable)],
            inspect.getsource(step) == inspect.getsource(step.python_function),
        ]

    alike(tf, program)


def module_level(x: Any, k: float = 2.0) -> Any:
    """A function that pickle finds by its name."""
    return x * k


def test_copies(tf: Any) -> None:
    """Where tf.function can be copied so can ours, with its options; the copy has its own traces."""

    def program(function: Maker) -> Any:
        answers = []
        for duplicate in (copy.deepcopy, copy.copy, lambda step: pickle.loads(pickle.dumps(step))):
            step = function(module_level, autograph=False)
            twin = duplicate(step)
            answers += [thrice(twin, tf.constant(1.0)), thrice(twin, tf.constant([1.0, 2.0]), 3.0)]
            answers += [thrice(step, tf.constant(1.0)), twin.python_function is module_level, twin is step]
        return answers

    alike(tf, program)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda step: pickle.loads(pickle.dumps(step))])
def test_the_options_go_with_a_copy(tf: Any, duplicate: Callable[[Any], Any]) -> None:
    """A copy that forgot its limit would run away."""
    twin = duplicate(traceonce.function(module_level, limit=1, relax=False))
    twin(tf.ones([1]))
    twin(tf.ones([2]))
    with pytest.raises(traceonce.TracingLimitReached):
        twin(tf.ones([3]))


def test_a_deep_copied_module(tf: Any) -> None:
    """The copy's methods work on the copy's variables."""

    def program(function: Maker) -> Any:
        class Model(tf.Module):
            def __init__(self) -> None:
                super().__init__()
                self.weight = tf.Variable(2.0)

            @function
            def step(self, x: Any) -> Any:
                return self.weight.assign_add(x)

        model = Model()
        thrice(model.step, tf.constant(1.0))
        twin = copy.deepcopy(model)
        return thrice(twin.step, tf.constant(10.0)), thrice(model.step, tf.constant(1.0)), twin.weight, model.weight

    alike(tf, program)


def test_name_scopes_of_a_module(tf: Any) -> None:
    """Operations are named alike, so that profiles and graphs read alike."""

    def program(function: Maker) -> Any:
        class Model(tf.Module):
            def __init__(self, name: str) -> None:
                super().__init__(name=name)
                self.weight = tf.Variable(2.0, name="weight")

            @tf.Module.with_name_scope
            @function
            def inside(self, x: Any) -> Any:
                return x * self.weight

            @function
            @tf.Module.with_name_scope
            def outside(self, x: Any) -> Any:
                return x * self.weight

            @function
            def __call__(self, x: Any) -> Any:
                return self.outside(x) + self.inside(x)

        model = Model("block")
        answers = [thrice(step, tf.constant(3.0)) for step in (model.inside, model.outside, model)]
        operations = [
            [
                operation.name
                for operation in step.get_concrete_function(tf.constant(3.0)).graph.get_operations()
                if not operation.name.isdigit()  # captures
            ]
            for step in (model.outside, model.__call__)
        ]
        return answers, operations, [type(child).__name__ for child in model.submodules]

    alike(tf, program)


def test_run_functions_eagerly(tf: Any) -> None:
    """The body runs at every call while it is on, and its traces serve again afterwards."""

    def program(function: Maker) -> Any:
        bodies: list[bool] = []

        @function
        def step(x: Any, k: float) -> Any:
            bodies.append(tf.executing_eagerly())
            return x * k

        answers = [thrice(step, tf.constant(2.0), 3.0)]
        tf.config.run_functions_eagerly(True)
        try:
            answers += [thrice(step, tf.constant(2.0), k) for k in (3.0, 4.0)]
        finally:
            tf.config.run_functions_eagerly(False)
        answers += [thrice(step, tf.constant(2.0), 3.0)]
        return answers, bodies

    alike(tf, program)


def test_what_it_decided_goes_with_it(tf: Any) -> None:
    """Without the collector: it holds no circle, so that its traces go when the last user lets go of it."""
    step = traceonce.function(lambda x, k: x * k)
    for k in (1.0, 2.0, 3.0):
        step(tf.constant(1.0), k)
    decisions = weakref.ref(step._decisions)
    gc.collect()
    gc.disable()
    try:
        del step
        assert decisions() is None
    finally:
        gc.enable()
