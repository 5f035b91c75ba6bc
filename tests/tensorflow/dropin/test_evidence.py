"""What two values and some data do not show: programs in which a lift, or a shared trace, looked right and was not."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any

import pytest

import traceonce

SCALE = 1.0


def results(make: Callable[[Any], Any], body: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    function = make(body)
    return [function(*call).numpy().tolist() for call in calls]


def programs(tf: Any) -> dict[str, tuple[Any, list[Any]]]:
    def ends_for_positive_numbers(x: Any, k: float) -> Any:
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
        return x * k

    def asks_for_the_type(x: Any, k: int) -> Any:
        if isinstance(k, int) and k % 10 == 0:
            return x * 0.0
        return x + 1.0

    def goes_on_after_an_error(x: Any, k: int) -> Any:
        try:
            if k == 5:
                return x + 1.0
        except Exception:  # what the program is about
            pass
        return x

    def large(k: Any) -> bool:
        return type(k) in (int, float) and k > 5

    def asks_for_the_exact_type_elsewhere(x: Any, k: int) -> Any:
        return x * (2.0 if large(k) else 1.0) + k

    def asks_for_the_class(x: Any, k: int) -> Any:
        return x * (2.0 if k.__class__ is int and k > 5 else 1.0) + k

    def reads_a_size_that_hangs_on_it(x: Any, k: int) -> Any:
        return x + 1.0 if tf.zeros([k]).shape[0] == 5 else x

    def compares_a_float_in_a_branch(x: Any, k: float) -> Any:
        if k > 0.0:  # noqa: SIM102  # a branch inside a branch
            if k * 0.1 > 0.3:
                x = x + 1.0
        return x

    def overflows_in_a_branch(x: Any, k: int) -> Any:
        if k > 0:
            x = x * tf.cast(k + 2_000_000_000, tf.float32)
        return x

    return {
        "a loop that ends for positive numbers alone": (ends_for_positive_numbers, [1.0, 2.0, 3.0]),
        "isinstance": (asks_for_the_type, [1, 2, 10]),
        "type, elsewhere": (asks_for_the_exact_type_elsewhere, [1, 2, 10]),
        "__class__": (asks_for_the_class, [1, 2, 10]),
        "except": (goes_on_after_an_error, [1, 2, 5]),
        "a size": (reads_a_size_that_hangs_on_it, [2, 3, 5]),
        "a float in a branch": (compares_a_float_in_a_branch, [1.0, 2.0, 3.0]),
        "an overflow in a branch": (overflows_in_a_branch, [1, 2, 200_000_000]),
    }


@pytest.mark.parametrize(
    "name",
    [
        "a loop that ends for positive numbers alone",
        "isinstance",
        "type, elsewhere",
        "__class__",
        "except",
        "a size",
        "a float in a branch",
        "an overflow in a branch",
    ],
)
def test_a_number_that_must_not_be_lifted_on_such_evidence(tf: Any, name: str) -> None:
    """Two values are traced and compared; the third shows what they did not."""
    body, numbers = programs(tf)[name]
    calls = [(tf.ones([2]), number) for number in numbers]
    assert results(traceonce.function, body, calls) == results(tf.function, body, calls)


def test_a_method_may_ask_for_the_class_of_its_object(tf: Any) -> None:
    class Scaling:
        def __call__(self, x: Any, k: float) -> Any:
            return x * k if type(self) is Scaling and self.__class__ is Scaling else x

    scaling = Scaling()
    scale = traceonce.function(lambda x, k: scaling(x, k), autograph=False)
    for number in (1.0, 2.0, 3.0):
        scale(tf.ones([2]), number)
    assert traceonce.stats(scale).lifted == 1


class Config:
    scale = 1.0


class Model:
    def helper(self) -> float:
        return SCALE

    def step(self, x: Any) -> Any:
        return x * self.helper()


def test_what_a_temporary_reads_may_change(tf: Any) -> None:
    """Through a module, a class, a method of its object, or a global: `tf.function` traces each anew and sees it."""
    global SCALE
    module = types.ModuleType("settings_of_ours")
    apply = traceonce.function(lambda function, x: function(x))
    found: list[float] = []
    model = Model()
    for scale in (1.0, 2.0):
        module.scale = Config.scale = SCALE = scale  # type: ignore[attr-defined]  # it is a module of our own
        temporaries = (lambda x: x * module.scale, lambda x: x * Config.scale, model.step)
        found += [float(apply(function, tf.constant(1.0))) for function in temporaries]
    SCALE = 1.0
    assert found == [1.0] * 3 + [2.0] * 3


def test_a_function_that_changed_since_it_was_seen_stands_for_itself(tf: Any) -> None:
    """Its later traces are not those of what it was."""
    global SCALE
    apply = traceonce.function(lambda function, x: function(x))

    def make() -> Any:
        return lambda x: x * SCALE

    kept = make()
    apply(kept, tf.ones([2]))
    SCALE = 2.0
    apply(kept, tf.ones([3]))
    SCALE = 1.0
    assert apply(make(), tf.ones([3])).numpy().tolist() == [1.0] * 3


def test_traces_come_and_go_while_others_look_for_them(tf: Any) -> None:
    """Shapes that a wide trace admits, in one thread, while another has traces evicted."""
    function = traceonce.function(lambda x, mode: tf.reduce_sum(x), keep=3)
    errors: list[BaseException] = []

    def shapes() -> None:
        try:
            for size in range(1, 400):
                assert float(function(tf.ones([size]), "same")) == size
        except BaseException as error:
            errors.append(error)

    def modes() -> None:
        try:
            for number in range(60):
                function(tf.ones([2]), f"mode {number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for work in (shapes, modes, shapes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_one_argument_without_a_key_does_not_spoil_others_of_its_type(tf: Any) -> None:
    """An array of text has none; an array of numbers has."""
    import numpy as np

    function = traceonce.function(lambda x: x)
    function(np.array(["a"]))
    for _ in range(4):
        function(np.ones(3))
    assert traceonce.stats(function).hits == 3
