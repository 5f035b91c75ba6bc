"""Objects, functions and arguments are kept apart, and no longer alive than `tf.function` keeps them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np

import traceonce
from tests.tensorflow.dropin.paired import Maker, alike, outcome, thrice


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
