"""`traceonce.function` traces the workloads of `examples/bounded` as seldom as their meaning allows, and keeps it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import traceonce

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "bounded"))

import bounded_suite as suite


@pytest.mark.parametrize("name", suite.names())
def test_a_workload_is_traced_as_seldom_as_its_meaning_allows(name: str, tf: Any) -> None:
    """Every call gives what a new `tf.function` gives, variables end the same, and the traces are the fewest."""
    workload = suite.load(name)
    expected = suite.play(workload, suite.Fresh)
    found = suite.play(workload, traceonce.function)
    assert suite.first_difference(expected.results, found.results) is None
    assert found.traces == workload.FEWEST, workload.WHY


def test_the_suite_counts_traces(tf: Any) -> None:
    """`tf.function` traces each of six lengths once; made anew for each of eight calls, it traces eight times."""
    workload = suite.load("variable_length")
    assert suite.play(workload, tf.function).traces == 6
    assert suite.play(workload, suite.Fresh).traces == 8


def _twice(body: Callable[..., Any]) -> Callable[..., Any]:
    """Run a body twice per call, as a dispatch would that tries a trace of a function with state."""

    def call(*args: Any) -> Any:
        body(*args)
        return body(*args)

    return call


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("static_shape_with_a_default", lambda tf: lambda body: tf.function(body, reduce_retracing=True)),
        ("numbers_of_three_types", lambda tf: tf.function),
        ("shuffled_step", lambda tf: _twice),
    ],
    ids=["value", "dtype", "variable"],
)
def test_the_suite_sees_a_wrong_result(name: str, planted: Callable[[Any], suite.Decorator], tf: Any) -> None:
    """A trace used where it does not hold, numbers of different types confused, a side effect twice: all are seen."""
    workload = suite.load(name)
    expected = suite.play(workload, suite.Fresh)
    found = suite.play(workload, planted(tf))
    assert suite.first_difference(expected.results, found.results) is not None


def test_there_are_workloads() -> None:
    """An empty folder would pass everything above."""
    assert len(suite.names()) >= 38
