"""Rule 5: objects among the arguments, and what a trace of them is worth when they are gone."""

from __future__ import annotations

import dataclasses
import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import traceonce
from tests.tensorflow.dropin.noted import noted
from tests.tensorflow.dropin.paired import Maker, alike


def test_rule_5_equal_objects_share_a_trace_when_the_first_is_gone(tf: Any) -> None:
    """Five temporaries: one trace here, five in tf.function."""

    @dataclasses.dataclass(frozen=True)
    class Config:
        scale: float

    def traces(function: Maker) -> int:
        bodies: list[str] = []

        @function
        def step(x: Any, config: Config) -> Any:
            bodies.append("traced")
            return x * config.scale

        for _ in range(5):
            assert float(step(tf.constant(2.0), Config(3.0))) == 6.0
        return len(bodies)

    assert traces(traceonce.function) == 1
    assert traces(tf.function) == 5


def test_rule_5_temporaries_with_the_same_content_share_a_trace(tf: Any) -> None:
    """Lambdas, partials and bound methods that are made for each call."""

    class Model:
        factor = 3.0

        def scale(self, x: Any) -> Any:
            return x * self.factor

    model = Model()
    makers: list[Callable[[], Callable[[Any], Any]]] = [
        lambda: lambda x: x * 3.0,
        lambda: functools.partial(lambda factor, x: x * factor, 3.0),
        lambda: model.scale,
    ]
    for make in makers[::2]:
        step, seen = noted(tf, traceonce.function, lambda x, apply: apply(x))
        for _ in range(5):
            assert float(step(tf.constant(2.0), make())) == 6.0
        assert len(seen) == 1
    body = makers[1]().func  # type: ignore[attr-defined]
    step, seen = noted(tf, traceonce.function, lambda x, apply: apply(x))
    for _ in range(5):
        assert float(step(tf.constant(2.0), functools.partial(body, 3.0))) == 6.0
    assert len(seen) == 1


def test_rule_5_temporaries_with_another_content_do_not(tf: Any) -> None:
    """What they capture, their defaults, their arguments, their object: each makes another function."""

    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Model)

        def __hash__(self) -> int:
            return 1

        def scale(self, x: Any) -> Any:
            return x * self.factor

    def closure(k: float) -> Callable[[Any], Any]:
        return lambda x: x * k

    def default(k: float) -> Callable[[Any], Any]:
        return lambda x, k=k: x * k

    def keyword(k: float) -> Callable[[Any], Any]:
        def scale(x: Any, *, k: float = k) -> Any:
            return x * k

        return scale

    def deeper(k: float) -> Callable[[Any], Any]:
        inner = closure(k)
        return lambda x: inner(x)

    def in_a_list(k: float) -> Callable[[Any], Any]:
        box = [k]
        return lambda x: x * box[0]

    def in_other_globals(k: float) -> Callable[[Any], Any]:
        names: dict[str, Any] = {"k": k}
        exec("made = lambda x: x * k", names)
        made: Callable[[Any], Any] = names["made"]
        return made

    def product(a: Any, b: Any, x: Any) -> Any:
        return a * b * x

    makers: list[Callable[[float], Callable[[Any], Any]]] = [
        closure,
        default,
        keyword,
        deeper,
        in_a_list,
        lambda k: functools.partial(product, k, 1.0),
        lambda k: functools.partial(product, 1.0, k),
        lambda k: functools.partial(closure(k)),
        lambda k: functools.partial(product, tf.constant(float(k)), 1.0),
        lambda k: functools.partial(product, np.float32(k), 1.0),
        lambda k: Model(k).scale,
        in_other_globals,
    ]
    for make in makers:
        step = traceonce.function(lambda x, apply: apply(x), autograph=False)
        for k in (2.0, 3.0, 2.0, True, 1.0, 4.0, 3.0):
            assert float(step(tf.constant(1.0), make(k))) == float(k), make


FACTOR = 1.0


def test_rule_5_what_a_temporary_looks_up_may_have_changed(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """tf.function traces a new lambda anew, and so sees what it captures, and what is global, as it is now."""

    def program(function: Maker) -> Any:
        step = function(lambda x, apply: apply(x), autograph=False)
        one = tf.constant(1.0)
        numbers, array = [0.0], np.zeros([], np.float32)
        answers = []
        for k in (2.0, 3.0, 2.0):
            numbers[0] = k
            array[...] = k
            monkeypatch.setitem(globals(), "FACTOR", k)
            fresh = [lambda x: x * numbers[0], lambda x: x * array, lambda x: x * FACTOR]
            answers.append([float(step(one, apply)) for apply in fresh])
        return answers

    alike(tf, program)


def test_rule_5_an_object_at_the_address_of_a_dead_one(tf: Any) -> None:
    """Known by identity, and so not the same, though Python uses its address again."""

    class Plain:
        def __init__(self, scale: float) -> None:
            self.scale = scale

    step = traceonce.function(lambda x, config: x * config.scale)
    addresses = set()
    for number in range(20):
        config = Plain(float(number))
        addresses.add(id(config))
        assert float(step(tf.constant(1.0), config)) == number
        del config
    assert len(addresses) < 20


def test_rule_5_dead_entries_are_dropped(tf: Any) -> None:
    """What is known by identity cannot come again once it is gone; its trace goes, too."""

    class Plain:
        scale = 2.0

    graphs: list[weakref.ref[Any]] = []

    @traceonce.function
    def step(x: Any, config: Plain) -> Any:
        graphs.append(weakref.ref(x.graph))
        return x * config.scale

    kept = Plain()
    for _ in range(10):
        step(tf.constant(1.0), Plain())
        gc.collect(0)
    for _ in range(3):
        step(tf.constant(1.0), kept)
    gc.collect()
    assert traceonce.stats(step).kept <= 2
    assert sum(graph() is not None for graph in graphs) <= 2
    assert float(step(tf.constant(1.0), kept)) == 2.0
    assert len(graphs) == 11
