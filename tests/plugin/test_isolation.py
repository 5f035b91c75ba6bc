"""A test answers for what happened in it: not for fixtures, nor for other tests, nor for errors of ours."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.plugin.inner_runs import Run
from traceonce.errors import BackendUnavailable
from traceonce.integrations.pytest_plugin import call_phase
from traceonce.observe import hub as hub_module

STEP = """
@tf.function
def train_step(x):
    return x

def train(*sizes):
    for size in sizes:
        train_step(tf.zeros([size]))
"""


@pytest.mark.parametrize("scope", ["session", "module", "class", "function"])
def test_what_a_fixture_traces_in_set_up_does_not_count(run: Run, scope: str) -> None:
    result = run(
        STEP
        + f"""
@pytest.fixture(scope="{scope}")
def trained():
    train(1, 2, 3, 4)

class TestIt:
    @pytest.mark.max_traces(0)
    def test_first(self, trained):
        train(1, 2, 3, 4)

    @pytest.mark.max_traces(1)
    def test_second(self, trained):
        train(5)

    @pytest.mark.max_traces(0)
    def test_third(self, trained):
        train(6)
"""
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "train_step was traced 1 time, max_traces allows 0",
            "  count      1 trace, 0 retraces in 1 call",
            "  cause      x.shape[[]0]: now 6, before 5 (varies)",  # what was traced before explains it all the same
        ]
    )


def test_a_first_trace_that_is_one_too_many_has_no_cause(run: Run) -> None:
    result = run(STEP + "@pytest.mark.max_traces(0)\ndef test_it():\n    train(1)\n")
    result.stdout.fnmatch_lines(
        ["  cost       * of tracing", "  cause      the first trace: the function had not been traced before"]
    )


def test_what_is_traced_in_teardown_does_not_count(run: Run) -> None:
    result = run(
        STEP
        + """
@pytest.fixture
def late():
    yield
    train(2, 3, 4)

@pytest.mark.max_traces(1)
def test_it(late):
    train(1)
"""
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("order", list(itertools.permutations(["two", "three", "bad"])))
def test_the_order_of_tests_does_not_matter(run: Run, order: tuple[str, ...]) -> None:
    """They share one function and trace it for different shapes."""
    result = run(
        STEP
        + """
@pytest.mark.max_traces(2)
def test_two():
    train(1, 2)

@pytest.mark.max_traces(3)
def test_three():
    train(3, 4, 5)

@pytest.mark.max_traces(1)
def test_bad():
    train(6, 7)
    raise ValueError("in the middle")
""",
        *(f"test_inner.py::test_{name}" for name in order),
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["FAILED *::test_bad - ValueError: in the middle"])


def test_no_hook_is_left_between_tests(run: Run) -> None:
    result = run(
        """
        import sys
        from tensorflow.python.eager.polymorphic_function import tracing_compilation
        original = tracing_compilation._create_concrete_function

        def watched():
            return tracing_compilation._create_concrete_function is not original

        @pytest.mark.max_traces(1)
        def test_watched():
            assert watched()
            raise ValueError("mine")

        def test_after_a_failure():
            assert not watched()

        def test_with_the_fixture(traces):
            assert watched()
            pytest.skip("mine")

        def test_after_a_skip():
            assert not watched()
            assert not [finder for finder in sys.meta_path if type(finder).__name__ == "Arrivals"]
        """
    )
    result.assert_outcomes(failed=1, passed=2, skipped=1)
    result.stdout.fnmatch_lines(["FAILED *::test_watched - ValueError: mine"])


def test_watches_and_limits_inside_a_test_are_not_disturbed(run: Run) -> None:
    result = run(
        STEP
        + """
@pytest.mark.max_traces(4)
def test_it(traces):
    train(1)
    with traceonce.watch() as seen:
        train(2)
        with traceonce.limit(0), pytest.raises(traceonce.TracingLimitReached):
            train(3)
        train(4)
    train(5)
    assert [seen.count("train_step"), traces.count("train_step")] == [2, 4]
    assert seen["train_step"].calls == 2

@pytest.mark.max_traces(0)
def test_refused():
    with traceonce.limit(0), pytest.raises(traceonce.TracingLimitReached):
        train(6)  # what was not made does not count
"""
    )
    result.assert_outcomes(passed=2)


def test_a_limit_that_stays_in_force_does_not_disturb_the_count(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest, traceonce

        @pytest.fixture(scope="session", autouse=True)
        def limited():
            with traceonce.limit(1000):
                yield
        """
    )
    result = run(
        STEP
        + """
def test_before():
    train(1, 1, 1)

@pytest.mark.max_traces(1, warmup=2)
def test_it():
    train(2, 3, 4)

@pytest.mark.max_traces(0, warmup=2)
def test_bad():
    train(5, 6, 7)
"""
    )
    result.assert_outcomes(passed=2, failed=1)


def test_what_other_plugins_do_around_a_test_does_not_count(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest
        import tensorflow as tf

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call():
            tf.function(lambda x: x)(tf.zeros([1]))
            yield
            tf.function(lambda x: x)(tf.zeros([1]))
        """
    )
    run("@pytest.mark.max_traces(0)\ndef test_it():\n    pass\n").assert_outcomes(passed=1)


def test_a_folder_changed_by_a_fixture_changes_no_name(run: Run) -> None:
    result = run(
        STEP
        + """
@pytest.mark.max_traces(1)
def test_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    train(1, 2)

@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

@pytest.mark.max_traces(1)
def test_from_set_up(elsewhere):
    train(3, 4)

def test_confused(elsewhere):
    step = tf.function(lambda x: x)
    step(1), step(True)
""",
        "--traceonce-fail-on=confused",
    )
    result.assert_outcomes(failed=3)
    text = result.stdout.str()
    assert text.count("  function   train_step, test_inner.py:") == 2
    assert text.count("  called at  test_inner.py:") == 3
    assert text.count("  count      2 traces, 1 retrace in 2 calls\n") == 2


BROKEN = "@pytest.mark.max_traces(1)\ndef test_it():\n    pass\n\ndef test_other():\n    pass\n"


def test_an_error_of_ours_while_judging_is_an_error_of_the_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(*_: Any) -> Any:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(call_phase, "judge_test", judge)
    result = run(BROKEN)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_it*",
            "traceonce could not judge this test. What it traced may have been more than was seen.",
            "  RuntimeError: broken on purpose (in *test_isolation.py:*). This is a defect of traceonce*",
        ]
    )


def test_an_error_of_ours_does_not_hide_the_failure_of_a_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_phase, "judge_test", None)
    result = run("@pytest.mark.max_traces(1)\ndef test_it():\n    assert 1 == 2, 'mine'\n")
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["FAILED *::test_it - AssertionError: mine", "ERROR *::test_it - *"])


def test_a_watch_that_cannot_begin_is_an_error_of_the_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def join(*_: Any) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr(hub_module.hub, "join", join)
    result = run(BROKEN)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["  RuntimeError: no room (in *"])


@pytest.fixture
def no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: Any) -> Any:
        raise BackendUnavailable("no hook that works here")

    monkeypatch.setattr(hub_module, "load_backend", load)


@pytest.mark.usefixtures("no_hook")
@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("@pytest.mark.max_traces(1)\ndef test_it():", []),
        ("@pytest.mark.max_traces(1)\ndef test_it():", ["--traceonce"]),
        ("def test_it(traces):", []),
        ("def test_it(traces):", ["--traceonce"]),
        ("def test_it():", ["--traceonce-fail-on=retracing"]),
        ("def test_it():", ["--traceonce-baseline=traces.json", "--traceonce-update-baseline"]),
    ],
)
def test_a_framework_that_is_not_watched_is_an_error_of_the_test(run: Run, asked: str, options: list[str]) -> None:
    """Else no limit could ever be broken."""
    result = run(f"{asked}\n    tf.function(lambda x: x)(1)\n", *options)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["  tensorflow is not watched: no hook that works here"])
    assert result.ret == (6 if options else 1)
    if options:
        result.stdout.fnmatch_lines(["exit status 6: 1 test could not be judged, and no other test failed"])


@pytest.mark.usefixtures("no_hook")
def test_a_failure_that_is_known_is_a_failure(run: Run) -> None:
    """Whatever else is not known: pytest's own status stays."""
    result = run("def test_it():\n    pass\n\ndef test_wrong():\n    assert 1 == 2\n", "--traceonce-fail-on=retracing")
    result.assert_outcomes(passed=1, failed=1, errors=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "exit status 6" not in result.stdout.str()


@pytest.mark.usefixtures("no_hook")
def test_what_was_not_watched_takes_nothing_back(run: Run, pytester: pytest.Pytester) -> None:
    """A state that is not whole is no state to accept."""
    known = '{"schema":"traceonce.baseline/1","tests":{"test_inner.py::test_it":{"f":{"retraces":3}}}}'
    (pytester.path / "traces.json").write_text(known)
    run("def test_it():\n    pass\n", "--traceonce-baseline=traces.json", "--traceonce-update-baseline")
    assert '"retraces": 3' in (pytester.path / "traces.json").read_text()


@pytest.mark.usefixtures("no_hook")
def test_where_tests_are_only_looked_at_the_summary_tells(run: Run) -> None:
    result = run("def test_it():\n    pass\n\ndef test_other():\n    pass\n", "--traceonce")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["note: tensorflow is not watched: no hook that works here (in 2 tests)"])
