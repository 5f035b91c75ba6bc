"""The face of `traceonce.function` is that of `tf.function`: arguments, kinds of callables, attributes, errors."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import re
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.our_files import is_ours
from tests.tensorflow.paired import Maker, Raised, alike, outcome, plain, thrice


def test_every_argument_in_its_place_and_with_its_default(tf: Any) -> None:
    """What traceonce adds comes after a star, so that no position is taken."""
    theirs = list(inspect.signature(tf.function).parameters.values())
    ours = list(inspect.signature(traceonce.function).parameters.values())
    assert [(p.name, p.default, p.kind) for p in ours[: len(theirs)]] == [(p.name, p.default, p.kind) for p in theirs]
    added = {p.name: p.default for p in ours[len(theirs) :]}
    assert {p.kind for p in ours[len(theirs) :]} == {inspect.Parameter.KEYWORD_ONLY}
    assert added == {
        "keep": 64,
        "limit": 1000,
        "on_limit": "raise",
        "relax": True,
        "lift": True,
        "pad": None,
        "true_length": None,
        "unpad": None,
    }


def double(x: Any) -> Any:
    """Twice x."""
    return x + x


WAYS_TO_DECORATE: dict[str, Callable[[Maker], Any]] = {
    "bare": lambda function: function(double),
    "named": lambda function: function(func=double),
    "empty parentheses": lambda function: function()(double),
    "options": lambda function: function(autograph=False)(double),
    "positional options": lambda function: function(None, None, False)(double),
    "function and options": lambda function: function(double, reduce_retracing=True),
    "function and positional options": lambda function: function(double, None, False, None, True),
}


@pytest.mark.parametrize("way", WAYS_TO_DECORATE)
def test_with_and_without_parentheses(tf: Any, way: str) -> None:
    """Each gives a function that knows its name, its text and its signature."""

    def program(function: Maker) -> Any:
        made = WAYS_TO_DECORATE[way](function)
        seen = thrice(made, tf.constant([1.0, 2.0]))
        return seen, made.__name__, made.__doc__, str(inspect.signature(made)), made.python_function is double

    alike(tf, program)


def test_an_input_signature(tf: Any) -> None:
    """One trace; conversions, refusals and their texts are TensorFlow's."""

    def program(function: Maker) -> Any:
        @function(input_signature=[tf.TensorSpec([None, 2], tf.float32), {"k": tf.TensorSpec([], tf.int32)}])
        def step(x: Any, more: Any) -> Any:
            return tf.reduce_sum(x) * tf.cast(more["k"], tf.float32)

        k = {"k": tf.constant(3)}
        answers = [thrice(step, tf.ones([rows, 2]), k) for rows in (1, 2, 3)]
        answers += [
            thrice(step, x, more)
            for x, more in [
                (np.ones([2, 2]), k),
                ([[1, 2]], {"k": 5}),
                (tf.ones([2, 3]), k),
                (tf.ones([2, 2], tf.float64), k),
                (tf.ones([1, 2]), {"k": 2.5}),
                (tf.ones([1, 2]), {"k": tf.constant(1), "j": tf.constant(1)}),
                (tf.ones([1, 2]), None),
            ]
        ]
        return answers, step.experimental_get_tracing_count(), step.input_signature

    alike(tf, program)


def test_a_signature_with_defaults_and_keywords(tf: Any) -> None:
    """A parameter beyond the signature is frozen at its default."""

    def program(function: Maker) -> Any:
        @function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])
        def step(x: Any, scale: Any = 2.0, times: int = 3) -> Any:
            return x * scale * times

        x = tf.ones([2])
        return [
            thrice(step, x),
            thrice(step, x, 5.0),
            thrice(step, x, scale=tf.constant(7.0)),
            thrice(step, scale=1.0, x=x),
            thrice(step, x, 5.0, 4),
            step.experimental_get_tracing_count(),
        ]

    alike(tf, program)


def test_without_autograph(tf: Any) -> None:
    """A branch on a tensor fails, with TensorFlow's text, time and again."""

    def program(function: Maker) -> Any:
        def positive(x: Any) -> Any:
            return x if x > 0.0 else -x

        return [thrice(function(positive, autograph=use), tf.constant(x)) for use in (False, True) for x in (2.0, -2.0)]

    alike(tf, program)


def test_autograph_options(tf: Any) -> None:
    """With this feature an assertion about a tensor is checked when the graph runs."""

    def program(function: Maker) -> Any:
        @function(experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
        def step(x: Any) -> Any:
            assert x > 0.0, "must be positive"
            return x

        return thrice(step, tf.constant(1.0)), thrice(step, tf.constant(-1.0))

    alike(tf, program)


def test_jit_compile(tf: Any) -> None:
    """The attribute is in the graph, and XLA's text can be had."""

    def program(function: Maker) -> Any:
        answers = []
        for options in ({"jit_compile": True}, {"jit_compile": False}, {"experimental_compile": True}, {}):
            step = function(lambda x: x * 2.0 + 1.0, **options)
            definition = step.get_concrete_function(tf.constant([1.0])).function_def
            attributes = {name: value.b for name, value in definition.attr.items() if "Xla" in name}
            text = outcome(lambda step=step: "HloModule" in step.experimental_get_compiler_ir(tf.ones([1]))())
            answers.append((attributes, text, thrice(step, tf.constant([1.0]))))
        return answers, outcome(function, double, jit_compile=True, experimental_compile=True)

    alike(tf, program)


def test_reduce_retracing_is_tensorflows_own_where_ours_is_off(tf: Any) -> None:
    """Without relaxing and lifting there are exactly as many traces."""
    strict = functools.partial(traceonce.function, relax=False, lift=False)

    def program(function: Maker, **options: Any) -> Any:
        step = function(lambda x, k: tf.reduce_sum(x) * k, **options)
        answers = [plain(step(tf.ones([size]), k)) for size in (1, 2, 3, 2) for k in (2.0, 3.0)]
        return answers, step.experimental_get_tracing_count()

    for options in ({}, {"reduce_retracing": True}, {"experimental_relax_shapes": True}):
        assert program(strict, **options) == program(tf.function, **options)


def test_implements_and_attributes(tf: Any) -> None:
    """Both land in the function's definition; a variable is passed as its value there."""

    def program(function: Maker) -> Any:
        named = function(lambda x, y: x * y, experimental_implements="org.sample")
        marked = function(double, experimental_attributes={"api_implements": "sample", "_noinline": True})
        variable = tf.Variable(3.0)
        answers = thrice(named, variable, tf.constant(2.0)), thrice(marked, tf.constant(2.0))
        concrete = named.get_concrete_function(variable, tf.constant(2.0)), marked.get_concrete_function(tf.constant(1))
        attributes = [
            {name: (value.s, value.b) for name, value in one.function_def.attr.items() if not name.startswith("_input")}
            for one in concrete
        ]
        return answers, attributes, outcome(function, double, experimental_attributes={"unheard": 1})

    alike(tf, program)


def test_arguments_that_are_refused(tf: Any) -> None:
    """The same errors in the same words."""

    def program(function: Maker) -> Any:
        return [
            outcome(function, double, input_signature=3),
            outcome(function, double, input_signature=[3]),
            outcome(function, lambda **kw: None, input_signature=[tf.TensorSpec([])]),
            outcome(function, 3),
            outcome(lambda: function(double, experimental_follow_type_hints=True)(tf.constant(1)).numpy()),
        ]

    alike(tf, program)
    unknown = outcome(traceonce.function, double, bogus=1)
    assert isinstance(unknown, Raised)
    assert unknown.kind is TypeError
    assert "bogus" in unknown.text


class Scale:
    """Something that is called like a function."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any, more: float = 1.0) -> Any:
        return x * self.factor * more

    def method(self, x: Any) -> Any:
        return x * self.factor


CALLABLES: dict[str, Callable[[Maker, Any], Any]] = {
    "lambda": lambda function, tf: lambda x: x + 1.0,
    "partial by name": lambda function, tf: functools.partial(lambda x, y: x - y, y=tf.constant(3.0)),
    "partial by position": lambda function, tf: functools.partial(lambda x, y: x - y, tf.constant(3.0)),
    "partial with a number": lambda function, tf: functools.partial(lambda x, *, y: x - y, y=3.0),
    "partial of a partial": lambda function, tf: functools.partial(
        functools.partial(lambda x, y, z: x - y + z, z=1.0), y=2.0
    ),
    "object": lambda function, tf: Scale(3.0),
    "bound method": lambda function, tf: Scale(3.0).method,
    "TensorFlow's own": lambda function, tf: tf.square,
    "functools.wraps": lambda function, tf: functools.wraps(double)(lambda *args: double(*args)),
    "a function of either kind": lambda function, tf: function(double),
    "a tf.function": lambda function, tf: tf.function(double),
    "a concrete function": lambda function, tf: tf.function(double).get_concrete_function(tf.TensorSpec([])),
    "a class": lambda function, tf: Scale,
    "a generator": lambda function, tf: lambda x: (yield x),
}


@pytest.mark.parametrize("kind", CALLABLES)
def test_everything_that_can_be_called(tf: Any, kind: str) -> None:
    """Values, errors, names and signatures are those of tf.function."""

    def program(function: Maker) -> Any:
        inner = CALLABLES[kind](function, tf)
        made = function(inner)
        answers = [thrice(made, tf.constant(x)) for x in (1.0, 2.0)]
        return answers, made.name, outcome(lambda: made.__name__), outcome(lambda: str(inspect.signature(made)))

    alike(tf, program)


def test_methods_of_every_kind(tf: Any) -> None:
    """Plain ones, of the class, static; through the class and through an object; inherited and overridden."""

    def program(function: Maker) -> Any:
        class Model:
            offset = 10.0

            def __init__(self, factor: float) -> None:
                self.factor = factor

            @function
            def plain(self, x: Any, k: float = 1.0) -> Any:
                return x * self.factor * k

            @classmethod
            @function
            def of_class(cls, x: Any) -> Any:
                return x + cls.offset

            @staticmethod
            @function
            def static(x: Any) -> Any:
                return x - 1.0

            @function
            @staticmethod
            def static_inside(x: Any) -> Any:
                return x - 2.0

            @property
            @function
            def computed(self) -> Any:
                return tf.constant(self.factor)

            @function
            def __call__(self, x: Any) -> Any:
                return self.plain(x) + 1.0

        class Deeper(Model):
            offset = 20.0

            @function
            def plain(self, x: Any, k: float = 1.0) -> Any:
                return super().plain(x, k) + 100.0

        x = tf.constant(3.0)
        answers: list[Any] = [thrice(Model.of_class, x), thrice(Deeper.of_class, x), thrice(Model.static, x)]
        answers.append(thrice(Model.static_inside, x))
        for model in (Model(2.0), Model(3.0), Deeper(2.0)):
            answers += [thrice(model.plain, x), thrice(model.plain, x, k=2.0), thrice(model.of_class, x)]
            answers += [thrice(model.static, x), thrice(model, x), thrice(lambda model=model: model.computed)]
            answers += [thrice(type(model).plain, model, x), outcome(lambda model=model: model.static_inside(x))]
            answers += [str(inspect.signature(model.plain)), model.plain.__name__, model.plain is model.plain]
        return answers

    alike(tf, program)


def test_an_object_is_not_kept_alive(tf: Any) -> None:
    """Neither by its bound function nor by the traces made for it; what the class holds of it goes, too."""

    def program(function: Maker) -> Any:
        class Model:
            def __init__(self) -> None:
                self.weight = tf.Variable(2.0)

            @function
            def step(self, x: Any, k: float = 1.0) -> Any:
                return x * self.weight * k

        gone = []
        for _ in range(3):
            model = Model()
            for size in (1, 2, 3):
                model.step(tf.ones([size]))
                model.step(tf.ones([size]), float(size))
            gone += [weakref.ref(model), weakref.ref(model.weight), weakref.ref(model.step)]
            del model
        gc.collect()
        return [reference() is None for reference in gone]

    assert alike(tf, program) == [True] * 9


def test_a_function_is_not_kept_alive(tf: Any) -> None:
    """Nor is what it captured, once nobody has it any more."""

    def used(function: Maker) -> list[Any]:
        weight = tf.Variable(2.0)
        step = function(lambda x, k: x * weight * k)
        for size in (1, 2, 3):
            for k in (1.0, 2.0, 3.0):
                step(tf.ones([size]), k)
        return [weakref.ref(step), weakref.ref(weight), weakref.ref(step.python_function)]

    def program(function: Maker) -> Any:
        gone = used(function)
        gc.collect()
        return [reference() is None for reference in gone]

    assert alike(tf, program) == [True] * 3


def test_arguments_are_not_kept_alive(tf: Any) -> None:
    """A key may hold what an argument is like, but not the tensor, the array, the variable or the object."""

    class Config:
        """Compared by identity, as objects are."""

    def program(function: Maker) -> Any:
        step = function(lambda x, more, config: x + more["a"])
        arguments: list[Any] = [tf.constant([1.0]), {"a": np.ones([1], np.float32)}, Config()]
        thrice(step, *arguments)
        gone = [weakref.ref(arguments[2]), weakref.ref(arguments[1]["a"]), weakref.ref(arguments[0])]
        arguments.clear()
        gc.collect()
        return [reference() is None for reference in gone]

    assert alike(tf, program) == [True] * 3


def test_objects_that_are_equal_stay_apart(tf: Any) -> None:
    """By design not as in tf.function, where the second object gets the method of the first one."""

    def program(function: Maker) -> Any:
        class Model:
            def __init__(self, factor: float) -> None:
                self.factor = factor

            def __eq__(self, other: object) -> bool:
                return isinstance(other, Model)

            def __hash__(self) -> int:
                return 1

            @function
            def step(self, x: Any) -> Any:
                return x * self.factor

        models = [Model(2.0), Model(3.0)]
        return [float(model.step(tf.constant(1.0))) for _ in range(3) for model in models]

    assert program(tf.function) == [2.0, 2.0] * 3
    assert program(traceonce.function) == [2.0, 3.0] * 3


def test_objects_without_a_hash(tf: Any) -> None:
    """By design not as in tf.function, which refuses them."""

    def program(function: Maker) -> Any:
        class Model:
            def __init__(self, factor: float) -> None:
                self.factor = factor

            def __eq__(self, other: object) -> bool:
                return isinstance(other, Model)

            __hash__ = None  # type: ignore[assignment]

            @function
            def step(self, x: Any) -> Any:
                return x * self.factor

        models = [Model(2.0), Model(3.0)]
        return [outcome(lambda model=model: float(model.step(tf.constant(1.0)))) for _ in range(3) for model in models]

    assert {answer.kind for answer in program(tf.function)} == {TypeError}
    assert program(traceonce.function) == [2.0, 3.0] * 3


def test_objects_without_weak_references(tf: Any) -> None:
    """There is no telling when they go, so they are refused, as TensorFlow does."""

    def program(function: Maker) -> Any:
        class Model:
            __slots__ = ()

            @function
            def step(self, x: Any) -> Any:
                return x

        return thrice(lambda: Model().step(tf.constant(1.0)))

    alike(tf, program)


def test_an_object_at_the_address_of_a_dead_one(tf: Any) -> None:
    """Addresses are used again, and must not lead to the method of the object before."""

    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @traceonce.function
        def step(self, x: Any) -> Any:
            return x * self.factor

    seen = set()
    for number in range(20):
        model = Model(float(number))
        seen.add(id(model))
        assert float(model.step(tf.constant(1.0))) == number
        del model
    assert len(seen) < 20


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


ERRORS: dict[str, Callable[[Any, Any], Any]] = {
    "while it runs": lambda tf, step: step(tf.zeros([3]), tf.constant(7)),
    "while it runs, under a tape": lambda tf, step: under_a_tape(tf, step),
    "nothing given": lambda tf, step: step(),
    "too much given": lambda tf, step: step(1, 2, 3),
    "an unknown name": lambda tf, step: step(tf.zeros([3]), k=2),
    "given twice": lambda tf, step: step(tf.zeros([3]), tf.constant(1), x=tf.zeros([3])),
    "while it is traced": lambda tf, step: step(tf.zeros([3]), "no index"),
    "a shape that does not fit": lambda tf, step: step(tf.zeros([3]), tf.constant(1.5)),
    "no tensor can be made of it": lambda tf, step: step(object(), tf.constant(1)),
}


def under_a_tape(tf: Any, step: Any) -> Any:
    x = tf.zeros([3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        return step(x, tf.constant(7))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("warm", [False, True])
def test_errors_and_their_texts(tf: Any, error: str, warm: bool) -> None:
    """The first time and later, from a cold function and from one whose calls are hits; word for word."""

    def program(function: Maker) -> Any:
        @function
        def step(x: Any, i: Any) -> Any:
            return tf.gather(x, i)

        if warm:
            thrice(step, tf.zeros([3]), tf.constant(1))
        return thrice(ERRORS[error], tf, step), thrice(step, tf.zeros([3]), tf.constant(2))

    answers, _ = alike(tf, program)
    assert all(isinstance(answer, Raised) for answer in answers)
    if error.startswith("while it runs"):
        assert all(answer.text.startswith("Graph execution error:\n\nDetected at node") for answer in answers)


def test_an_error_of_the_body(tf: Any) -> None:
    """The user's own exception comes through, and a failed trace is tried again."""

    class MistakeError(Exception):
        pass

    def program(function: Maker) -> Any:
        attempts: list[int] = []

        @function
        def step(x: Any) -> Any:
            attempts.append(1)
            if len(attempts) < 3:
                raise MistakeError("not yet")
            return x

        return [outcome(step, tf.constant(1.0)) for _ in range(5)], len(attempts)

    alike(tf, program)


def frames(call: Callable[[], Any]) -> list[traceback.FrameSummary]:
    """The frames that the user sees of an error."""
    try:
        call()
    except Exception as error:
        return list(traceback.extract_tb(error.__traceback__))
    raise AssertionError("there was no error")


@pytest.mark.parametrize("error", ERRORS)
def test_tracebacks_are_as_short_as_tensorflows(tf: Any, error: str) -> None:
    """From the user's call to the body: one frame, which raises it again, where TensorFlow has one that does so."""

    def body(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    assert tf.debugging.is_traceback_filtering_enabled()
    theirs, ours = tf.function(body), traceonce.function(body)
    for _ in range(3):
        expected = frames(lambda: ERRORS[error](tf, theirs))
        seen = frames(lambda: ERRORS[error](tf, ours))
        assert len([frame for frame in seen if is_ours(frame.filename)]) == 1
        assert len(seen) <= len(expected)
        assert [frame.name for frame in seen if frame.filename == __file__] == [
            frame.name for frame in expected if frame.filename == __file__
        ]


def test_tracebacks_are_whole_where_filtering_is_off(tf: Any) -> None:
    """Whoever debugs this package needs its frames."""

    @traceonce.function
    def step(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    tf.debugging.disable_traceback_filtering()
    try:
        for _ in range(3):
            seen = frames(lambda: step(tf.zeros([3]), tf.constant(7)))
            assert [frame for frame in seen if is_ours(frame.filename)]
    finally:
        tf.debugging.enable_traceback_filtering()


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
