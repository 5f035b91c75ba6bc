"""Code of the same text at the same line of two files is equal to Python; its calls are counted apart all the same."""

from __future__ import annotations

import functools
import gc
import importlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import traceonce

BODY = """\
import tensorflow as tf

@tf.function
def step(n):
    return tf.constant(1.0) * n
"""
METHOD = """\
import tensorflow as tf

class A:
    @tf.function
    def step(self, n):
        return tf.constant(1.0) * n
"""
NUMBERS = itertools.count()
Modules = Callable[[str], tuple[ModuleType, ModuleType]]


@pytest.fixture
def twins(tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(body: str) -> tuple[ModuleType, ModuleType]:
        names = [f"twin_{next(NUMBERS)}" for _ in range(2)]
        for name in names:
            (tmp_path / f"{name}.py").write_text(body)
        importlib.invalidate_caches()
        one, other = map(importlib.import_module, names)
        for name in names:
            monkeypatch.delitem(sys.modules, name)
        return one, other

    return make


def counted(seen: traceonce.Watch) -> dict[str, tuple[int, int | None, str]]:
    return {Path(d.function.file or "").stem: (d.traces, d.calls, d.verdict.value) for d in seen.diagnoses}


def test_one_retraces_and_the_other_is_called_often(twins: Modules) -> None:
    """Together they would be 5 traces in 105 calls: nothing to fix."""
    one, other = twins(BODY)
    with traceonce.watch() as seen:
        for n in range(5):
            one.step(n)
        for _ in range(100):
            other.step(7)
    assert counted(seen) == {one.__name__: (5, 5, "retracing"), other.__name__: (1, 100, "ok")}


def test_in_turns(twins: Modules) -> None:
    one, other = twins(BODY)
    with traceonce.watch() as seen:
        for n in range(4):
            other.step(n)
            one.step(7)
            one.step(7)
    assert counted(seen) == {other.__name__: (4, 4, "retracing"), one.__name__: (1, 8, "ok")}


def test_methods_of_new_objects(twins: Modules) -> None:
    """Each object has a `Function` of its own; those of one file are counted together, as ever."""
    one, other = twins(METHOD)
    with traceonce.watch() as seen:
        for n in range(3):
            thing = one.A()
            thing.step(n)
            thing.step(n)
        for _ in range(2):
            other.A().step(1)
    assert {name: calls for name, (_, calls, _) in counted(seen).items()} == {one.__name__: 6, other.__name__: 2}


def test_watching_again_goes_on_counting(twins: Modules) -> None:
    one, other = twins(BODY)
    for _ in range(2):
        with traceonce.watch() as seen:
            for n in range(3):
                one.step(n)
                other.step(n)
    assert seen.diagnoses == []  # all was traced before
    with traceonce.watch() as seen:
        one.step(9)
        other.step(9)
        other.step(9)
    assert {name: calls for name, (_, calls, _) in counted(seen).items()} == {one.__name__: 1, other.__name__: 2}


def test_partials_of_one_function_are_counted_together(tf: Any) -> None:
    """TensorFlow counts the calls of a partial by the object, which is gone before anybody asks."""

    def scaled(x: Any, by: int) -> Any:
        return x * by

    with traceonce.watch() as seen:
        for by in range(4):
            step = tf.function(functools.partial(scaled, by=by))
            for _ in range(3):
                step(1.0)
            del step
            gc.collect()
    (diagnosis,) = seen.diagnoses
    assert (diagnosis.traces, diagnosis.calls) == (4, 12)
    assert [event.call for event in seen.recording.events if event.kind == "trace"] == [1, 4, 7, 10]
    assert {(cause.code.value, cause.path) for cause in diagnosis.causes} == {
        ("new_function", "scaled"),
        ("value", "by"),
    }
    assert "Its calls are not counted" not in str(seen)
