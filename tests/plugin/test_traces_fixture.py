"""The fixture `traces`, and asking a watch for what was not traced."""

from __future__ import annotations

from typing import Any

import pytest

import traceonce
from tests.plugin.inner_runs import Run


def test_it_is_a_watch_of_the_test_itself(run: Run) -> None:
    result = run(
        """
        @tf.function
        def train_step(x): return x

        @pytest.fixture
        def traced_in_set_up():
            train_step(tf.zeros([1]))

        @pytest.fixture
        def traced_in_teardown():
            yield
            train_step(tf.zeros([2]))

        @pytest.fixture(autouse=True)
        def reader(traces, traced_in_teardown):
            assert isinstance(traces, traceonce.Watch)
            assert list(traces) == []
            yield
            assert traces["train_step"].traces == 2
            train_step(tf.zeros([8]))
            assert traces.count("train_step") == 2  # it has ended with the test

        @pytest.mark.max_traces(2)
        def test_it(traced_in_set_up, traces):
            assert traces.count("train_step") == 0
            assert "train_step" not in traces
            train_step(tf.zeros([3]))
            assert traces["train_step"].traces == 1
            train_step(tf.zeros([4]))
            assert "train_step" in traces
            assert [d.traces for d in traces] == [2]
            print(traces.report())
        """,
        "-rP",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["traceonce  1 function, 2 traces*"])


def test_it_serves_the_mark_as_well(run: Run) -> None:
    """One watch for both, whichever asks first."""
    result = run(
        """
        @pytest.mark.max_traces(1)
        def test_it(traces):
            step = tf.function(lambda x: x)
            step(tf.zeros([3])), step(tf.zeros([4]))
            assert traces.count("<lambda>") == 2

        @pytest.mark.max_traces(1)
        def test_asked_for_late(request):
            step = tf.function(lambda x: x)
            step(tf.zeros([3])), step(tf.zeros([4]))
            assert request.getfixturevalue("traces").count("<lambda>") == 2
        """
    )
    result.assert_outcomes(failed=2)
    assert result.stdout.str().count("\n<lambda> was traced 2 times, max_traces allows 1\n----") == 2


def test_it_cannot_be_had_when_the_test_runs_already(run: Run) -> None:
    """An empty watch would let every assertion of 0 traces pass."""
    result = run(
        """
        def test_it(request):
            tf.function(lambda x: x)(tf.zeros([3]))
            assert request.getfixturevalue("traces").count("<lambda>") == 0
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["traces: the test is running already, unwatched. Ask for it in the arguments*"])


@pytest.fixture
def seen(tf: Any) -> traceonce.Watch:
    """Two functions of one name, and another one."""

    class Model:
        @tf.function
        def step(self, x: Any) -> Any:
            return x

    @tf.function
    def step(x: Any) -> Any:
        return x

    @tf.function
    def other(x: Any) -> Any:
        return x

    model = Model()
    with traceonce.watch() as seen:
        for size in (1, 2, 3):
            model.step(tf.zeros([size]))
        for size in (1, 2):
            step(tf.zeros([size]))
        other(tf.zeros([1]))
    return seen


def test_a_watch_counts_by_name(seen: traceonce.Watch) -> None:
    assert seen.count("step") == 5
    assert seen.count("seen.<locals>.Model.step") == 3
    assert seen.count("other") == 1
    assert seen.count("nothing") == 0


def test_a_watch_contains_names(seen: traceonce.Watch) -> None:
    assert "step" in seen
    assert "seen.<locals>.step" in seen
    assert "ste" not in seen
    assert 0 not in seen  # without __contains__ and __iter__, Python would ask for seen[0]


def test_a_watch_is_walked_through_by_its_diagnoses(seen: traceonce.Watch) -> None:
    assert list(seen) == seen.diagnoses
    assert sorted(diagnosis.traces for diagnosis in seen) == [1, 2, 3]
    assert list(traceonce.watch()) == []
