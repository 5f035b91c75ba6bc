"""TensorFlow 2.12 and 2.13, where an object traces: counts, causes, lines and silent values as in later versions."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce
from traceonce.diagnosis import diagnose
from traceonce.frameworks.tensorflow.probes import WITHOUT_COMPILERS, probe, version_of
from traceonce.frameworks.tensorflow.tracing_compilers import Caches, Scope


@pytest.fixture
def old(tf: Any) -> Any:
    if version_of(tf) >= WITHOUT_COMPILERS:
        pytest.skip("needs TensorFlow 2.12 or 2.13")
    return tf


def test_it_is_watched_in_full(old: Any) -> None:
    step = old.function(lambda x, k: x * k)
    with traceonce.watch() as seen:
        for width in (2, 3, 4, 4):
            step(old.ones([width]), 2.0)
    assert [notice.text for notice in seen.recording.notices if not notice.hook] == []
    (found,) = diagnose(seen.recording)
    assert (found.traces, found.calls, [cause.path for cause in found.causes]) == (3, 4, ["x.shape[0]"])
    assert all(event.seconds and event.nodes and event.call_site for event in seen.events)


def test_a_trace_for_variables_is_no_retrace(old: Any) -> None:
    made: list[Any] = []

    @old.function
    def step(x: Any) -> Any:
        if not made:
            made.append(old.Variable(2.0))
        return x * made[0]

    with traceonce.watch() as seen:
        for width in (2, 2, 3):
            step(old.ones([width]))
    (found,) = diagnose(seen.recording)
    assert (found.traces, found.retraces) == (2, 1)


def test_a_stale_value_and_a_limit(old: Any) -> None:
    rate = [1.5]
    step = old.function(lambda x: x * rate[0])
    with traceonce.watch() as seen:
        for value in (1.5, 2.5, 2.5):
            rate[0] = value
            step(old.ones([2]))
    assert [cause.code.value for cause in diagnose(seen.recording)[0].causes] == ["stale"]
    with traceonce.limit(1):
        step(old.ones([3]))
        with pytest.raises(traceonce.TracingLimitReached):
            step(old.ones([4]))


def test_later_versions_have_no_compilers(tf: Any) -> None:
    assert (probe(tf).compilers is None) == (version_of(tf) >= WITHOUT_COMPILERS)


def test_both_caches_of_a_function_are_one() -> None:
    class Owner:
        pass

    class Context(tuple[Any, ...]):
        context = "eager"

    def compiler(*kinds: str) -> Any:
        traces = {(Context(), kind): f"trace of {kind}" for kind in kinds}
        return type("Compiler", (), {"_function_cache": type("Cache", (), {"_primary": traces})})()

    owner: Any = Owner()
    caches = Caches(owner)
    assert (len(caches), caches.values()) == (0, [])
    owner._variable_creation_fn = compiler("x")
    owner._no_variable_creation_fn = compiler("x", "y")
    assert len(caches) == 3
    assert [context.scope_type for context, _ in caches._primary] == [
        Scope.VARIABLE_CREATION,
        Scope.NO_VARIABLE_CREATION,
        Scope.NO_VARIABLE_CREATION,
    ]
