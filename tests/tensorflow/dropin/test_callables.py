"""Whatever can be called can be made a function, and methods of every kind."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tests.tensorflow.dropin.doubled import double
from tests.tensorflow.dropin.paired import Maker, alike, outcome, thrice


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
