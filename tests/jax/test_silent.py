"""Silently wrong: an outside value that changed after the trace, an equal static number of another type."""

from __future__ import annotations

import logging
import math
import types
from typing import Any

import numpy as np

import traceonce
from tests.jax.jitted import causes, only
from traceonce.facts import Verdict
from traceonce.frameworks.base.captured_state import read_code
from traceonce.frameworks.jax import probes

RATE = 0.25
LATER = "it has changed since; whether a later call used the old value is unknown"
FLAG = False


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def found(seen: traceonce.Watch) -> list[tuple[str, str, str, str, str | None]]:
    return [(c.path, c.was, c.now, c.evidence, c.note) for c in only(seen).causes if c.code.value == "stale"]


def test_a_changed_global_is_shown_at_the_call(jax: Any) -> None:
    step = jax.jit(lambda x: x * RATE)
    with traceonce.watch() as seen:
        assert step(ones(2)).tolist() == [0.25, 0.25]
        globals()["RATE"] = 0.75
        try:
            assert step(ones(2)).tolist() == [0.25, 0.25]  # wrong, and nobody says so
            step(ones(2))
        finally:
            globals()["RATE"] = 0.25
    assert found(seen) == [("RATE", "0.25", "0.75", "measured", None)]
    assert only(seen).verdict is Verdict.STALE


def test_a_flag_that_chose_a_branch_is_inferred(jax: Any) -> None:
    step = jax.jit(lambda x: x * 2 if FLAG else x)
    with traceonce.watch() as seen:
        step(ones(2))
        globals()["FLAG"] = True
        try:
            step(ones(2))
        finally:
            globals()["FLAG"] = False
    assert found(seen) == [("FLAG", "False", "True", "inferred", None)]


def test_a_logarithm_is_taken_of_a_value_and_a_logger_only_shows_it() -> None:
    logger = logging.getLogger(__name__)

    def step(x: Any) -> Any:
        logger.log(logging.DEBUG, "%s", FLAG)
        return x + math.log(RATE)

    read = {chain.root for chain in read_code(step.__code__).chains}
    assert "RATE" in read
    assert "FLAG" not in read


def test_a_change_after_the_calls_that_are_seen_is_told_at_the_end(jax: Any) -> None:
    settings = types.SimpleNamespace(rate=0.5)
    step = jax.jit(lambda x: x * settings.rate)
    with traceonce.watch() as seen:
        for _ in range(20):
            step(ones(2))
        settings.rate = 0.125
        step(ones(2))
    assert found(seen) == [("settings.rate", "0.5", "0.125", "inferred", LATER)]
    assert only(seen).verdict is Verdict.OK  # nobody knows that a call came after it


def test_it_is_told_too_when_something_else_is_traced(jax: Any) -> None:
    settings = types.SimpleNamespace(rate=0.5)

    def step(x: Any) -> Any:
        return x * settings.rate

    jitted = jax.jit(step)
    with traceonce.watch() as seen:
        for _ in range(20):
            jitted(ones(2))
        settings.rate = 0.125
        jax.jit(lambda x: x + 1)(ones(2))
        settings.rate = 0.5  # and back
    (finding,) = seen.recording.findings
    assert (finding.function.short_name, finding.cause.path, finding.cause.note) == ("step", "settings.rate", LATER)


def test_a_rebound_array_and_an_attribute_of_self(jax: Any) -> None:
    weights = jax.numpy.arange(2.0)

    def step(x: Any) -> Any:
        return x * weights

    jitted = jax.jit(step)
    with traceonce.watch() as seen:
        jitted(ones(2))
        weights = jax.numpy.ones(2)
        jitted(ones(2))
    ((path, _, _, evidence, _),) = found(seen)
    assert (path, evidence) == ("weights", "measured")

    class Model:
        rate = 2.5

        def step(self, x: Any) -> Any:
            return x * self.rate

    model = Model()
    jitted = jax.jit(model.step)
    with traceonce.watch() as seen:
        jitted(ones(2))
        model.rate = 3.5
        jitted(ones(2))
    assert found(seen) == [("self.rate", "2.5", "3.5", "measured", None)]


def test_what_a_new_trace_was_made_with_is_not_stale(jax: Any) -> None:
    settings = types.SimpleNamespace(rate=0.5)
    step = jax.jit(lambda x: x * settings.rate)
    with traceonce.watch() as seen:
        step(ones(2))
        settings.rate = 0.75
        step(ones(3))
        step(ones(3))
    assert found(seen) == []


def test_what_is_read_at_every_call_is_not_stale(jax: Any) -> None:
    settings = types.SimpleNamespace(rate=0.5)

    @jax.jit
    def step(x: Any) -> Any:
        jax.debug.callback(lambda value: settings.rate * 2, x)
        return x

    with traceonce.watch() as seen:
        step(ones(2))
        settings.rate = 0.75
        step(ones(2))
    assert found(seen) == []


def test_a_counter_of_traces_is_not_stale(jax: Any) -> None:
    count = 0

    @jax.jit
    def step(x: Any) -> Any:
        nonlocal count
        count += 1
        return x

    with traceonce.watch() as seen:
        for width in (2, 2, 3, 2):
            step(ones(width))
    assert found(seen) == []
    assert count == 2


def test_an_equal_static_number_of_another_type(jax: Any) -> None:
    """Up to 0.8 JAX serves the trace of 2 for 2.0, where the argument is static by name: 3.0 where 3.5 is right."""
    step = jax.jit(lambda x, k: x // k if isinstance(k, int) else x / k, static_argnames="k")
    with traceonce.watch() as seen:
        step(np.float32(7), k=2)
        result = float(step(np.float32(7), k=2.0))
    if probes.version_of(jax) < (0, 9):
        assert result == 3.0
        assert causes(only(seen)) == [("confused", "k", "2 (int)", "2.0 (float)", 1)]
    else:
        assert result == 3.5
        assert causes(only(seen)) == [("static_argument", "k", "2", "2.0", 1)]


def test_a_function_inside_another_is_looked_at_with_it(jax: Any) -> None:
    settings = types.SimpleNamespace(rate=2.5)

    def scale(x: Any) -> Any:
        return x * settings.rate

    inner = jax.jit(scale)
    outer = jax.jit(lambda x: inner(x) + 1)
    with traceonce.watch() as seen:
        outer(ones(2))
        settings.rate = 3.5
        assert outer(ones(2)).tolist() == [3.5, 3.5]
    (finding,) = seen.recording.findings
    cause = finding.cause
    assert (finding.function.short_name, cause.path, cause.was, cause.now) == ("scale", "settings.rate", "2.5", "3.5")
    assert (cause.evidence, cause.note) == ("measured", None)
