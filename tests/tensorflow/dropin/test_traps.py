"""Traps that are about no single rule."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.paired import Maker, alike, plain, thrice


def test_trap_a_saved_model_after_a_lift_keeps_the_default(tf: Any, tmp_path: Path) -> None:
    """Whoever loads it calls it without the number, as always."""

    class Model(tf.Module):
        @traceonce.function
        def __call__(self, x: Any, k: float = 2.0) -> Any:
            return x * k

    model = Model()
    for k in (2.0, 3.0, 4.0, 5.0):
        model(tf.ones([3]), k)
    model(tf.ones([3]))
    assert traceonce.stats(model.__call__).lifted == 1
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded(tf.ones([3])).numpy().tolist() == [2.0] * 3
    assert loaded(tf.ones([3]), 2.0).numpy().tolist() == [2.0] * 3


def test_trap_aliases(tf: Any) -> None:
    """One variable twice is not two variables, whichever came first; nor is a captured one that is given, too."""

    def program(function: Maker) -> Any:
        v, w = tf.Variable(1.0), tf.Variable(10.0)

        @function
        def step(a: Any, b: Any) -> Any:
            a.assign_add(1.0)
            b.assign_add(a)
            return a + b + v

        @function
        def nested(pair: Any, *, c: Any) -> Any:
            pair["a"].assign_add(1.0)
            return pair["a"] + pair["b"] * 2.0 + c * 3.0

        pairs = [(v, v), (v, w), (w, v), (w, w)]
        answers = [thrice(step, *pair) for pair in pairs + pairs[::-1]]
        answers += [thrice(nested, {"a": a, "b": b}, c=c) for a, b in pairs for c in (v, w)]
        return answers, v, w

    alike(tf, program)


def test_trap_the_order_of_inputs(tf: Any) -> None:
    """Keyword-only arguments go by name, dictionaries by sorted key, in whatever order they are given."""

    def program(function: Maker) -> Any:
        step = function(lambda *, z, a, m: z * 100.0 + a * 10.0 + m)
        of_dict = function(lambda given: given["z"] * 100.0 + given["a"] * 10.0 + given["m"])
        one, two, three = (tf.constant(k) for k in (1.0, 2.0, 3.0))
        answers = thrice(step, z=one, a=two, m=three) + thrice(step, m=three, z=one, a=two)
        answers += thrice(step, m=one, z=2.0, a=two) + thrice(step, m=one, z=3.0, a=two)
        answers += thrice(of_dict, {"z": one, "a": two, "m": three}) + thrice(of_dict, {"m": three, "a": two, "z": one})
        answers += thrice(of_dict, {"m": one, "a": 2.0, "z": two}) + thrice(of_dict, {"a": 3.0, "z": two, "m": one})
        return answers

    alike(tf, program)


def test_trap_hits_are_counted(tf: Any) -> None:
    """Ours bypass TensorFlow's counter of calls; a watch that is open counts them all the same."""

    def program(function: Maker) -> Any:
        class Model:
            @function
            def step(self, x: Any) -> Any:
                return x

        @function
        def counted(x: Any, k: float) -> Any:
            return x * k

        with traceonce.watch() as first:
            for _ in range(10):
                counted(tf.constant(1.0), 2.0)
        for _ in range(5):
            counted(tf.constant(1.0), 2.0)
        with traceonce.watch() as second:
            counted(tf.constant([1.0]), 2.0)
            for _ in range(3):
                counted(tf.constant(1.0), 2.0)
                counted(tf.constant([1.0]), 2.0)
        with traceonce.watch() as third:
            for model in (Model(), Model()):
                for _ in range(4):
                    model.step(tf.constant(1.0))
        return first["counted"].calls, second["counted"].calls, third["step"].calls

    assert alike(tf, program) == (10, 7, 8)


def test_trap_an_observer_keeps_no_objects(tf: Any) -> None:
    """While a watch is open, calls leave nothing behind: neither their arguments nor a trace of themselves."""

    class Plain:
        pass

    step = traceonce.function(lambda x, config: x * 2.0)
    with traceonce.watch():
        config = Plain()
        x = tf.ones([3])
        for _ in range(3):
            step(x, config)
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(20):
            step(x, config)
        gc.collect()
        assert len(gc.get_objects()) - before < 10
        gone = [weakref.ref(config), weakref.ref(x)]
        del config, x
        gc.collect()
        assert [reference() for reference in gone] == [None, None]


def test_trap_a_raw_execute_loses_the_text_of_errors(tf: Any) -> None:
    """A hit that fails says where in the body, as the first call does."""

    @traceonce.function
    def step(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    for _ in range(3):
        step(tf.ones([2]), tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error") as caught:
        step(tf.ones([2]), tf.constant(5))
    assert "test_traps.py" in str(caught.value)
    assert "indices = 5 is not in [0, 2)" in str(caught.value)


def test_trap_a_mutable_default_and_a_mutated_list(tf: Any) -> None:
    """The key is made of what the list holds now, not of the list."""

    def program(function: Maker) -> Any:
        numbers = [1.0, 2.0]
        step = function(lambda x, numbers=numbers: x * sum(numbers))
        answers = [thrice(step, tf.constant(1.0)), thrice(step, tf.constant(1.0), numbers)]
        numbers.append(3.0)
        answers += [thrice(step, tf.constant(1.0), numbers), thrice(step, tf.constant(1.0), [1.0, 2.0])]
        numbers[0] = 5.0
        return [*answers, thrice(step, tf.constant(1.0), numbers)]

    alike(tf, program)


def test_trap_an_array_that_changes_between_calls(tf: Any) -> None:
    """NumPy memory is read at each call, and is not shared with what comes out."""

    def program(function: Maker) -> Any:
        step = function(lambda x: (x, x * 2.0))
        array = np.ones([3], np.float32)
        answers = []
        for number in range(4):
            array[0] = number
            held = step(array)
            array[1] = -1.0
            answers.append(plain(held))
        return answers

    alike(tf, program)
