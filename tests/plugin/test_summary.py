"""``--traceonce``: the whole session in a few lines; ``--traceonce-fail-on``: verdicts that are not wanted."""

from __future__ import annotations

import re

import pytest

from tests.plugin.inner_runs import Run
from traceonce.facts import Verdict
from traceonce.integrations.pytest_plugin import VERDICTS
from traceonce.integrations.pytest_plugin.session_summary import summary
from traceonce.integrations.pytest_plugin.traced_tests import TracedFunction, TracedTest

STEPS = """
def train(name, *sizes):
    @tf.function
    def step(x): return x
    for size in sizes:
        step(tf.zeros([size]))
"""


def summary_of(result: pytest.RunResult) -> list[str]:
    """The lines of our section, without what differs from run to run."""
    _, _, after = result.stdout.str().partition("= traceonce =")
    lines = after.splitlines()[1:]
    end = next(number for number, line in enumerate(lines) if line.startswith("=="))
    return [re.sub(r"(\d+ ms|under 1 ms|[\d.]+ s) lost", "# lost", line) for line in lines[:end] if line]


def test_the_totals_and_the_worst(run: Run) -> None:
    result = run(
        STEPS
        + """
def test_retracing():
    train("a", 1, 2, 3, 4)

def test_bounded():
    train("a", 1, 2, *[1] * 20)

def test_fine():
    train("a", 1, 1)

def test_nothing():
    pass

@pytest.mark.skip
def test_skipped():
    pass
""",
        "--traceonce",
    )
    result.assert_outcomes(passed=4, skipped=1)
    assert summary_of(result) == [
        "3 of 4 tests traced: 7 traces, 4 retraces, # lost",
        "  retracing   step: 4 traces, 3 retraces in 4 calls, # lost · x.shape[0]: grows by 1 each time",
        "              test_inner.py::test_retracing",
        "  bounded     step: 2 traces, 1 retrace in 22 calls, # lost · x.shape[0]: varies",
        "              test_inner.py::test_bounded",
        "  known       traceonce explain tensorflow/retracing-growing-decode",
    ]


def test_nothing_was_traced(run: Run) -> None:
    result = run("def test_it():\n    pass\n", "--traceonce")
    assert summary_of(result) == ["no function was traced in 1 test"]


def test_the_verdict_goes_before_the_cost() -> None:
    def outcome(test: str, verdict: Verdict, lost: float) -> TracedTest:
        return TracedTest(test, (TracedFunction("step", verdict, traces=3, retraces=2, lost_seconds=lost),))

    lines = summary(
        [
            outcome("bounded", Verdict.BOUNDED, 9.0),
            outcome("cheap", Verdict.RETRACING, 0.5),
            outcome("dear", Verdict.RETRACING, 2.5),
        ]
    )
    assert list(lines) == [
        "3 of 3 tests traced: 9 traces, 6 retraces, 12.0 s lost",
        "  retracing   step: 3 traces, 2 retraces, 2.5 s lost",
        "              dear",
        "  retracing   step: 3 traces, 2 retraces, 500 ms lost",
        "              cheap",
        "  bounded     step: 3 traces, 2 retraces, 9.0 s lost",
        "              bounded",
    ]


def test_only_the_worst_are_shown(run: Run) -> None:
    result = run(
        STEPS + "@pytest.mark.parametrize('n', range(13))\ndef test_it(n):\n    train('a', 1, 2, 3)\n", "--traceonce"
    )
    lines = summary_of(result)
    assert lines[0] == "13 of 13 tests traced: 39 traces, 26 retraces, # lost"
    assert sum(line.startswith("  retracing ") for line in lines) == 10
    assert lines[-2].startswith("  … and 3 more ")
    assert lines[-1] == "  known       traceonce explain tensorflow/retracing-shape"


def test_many_causes_are_told_in_a_few_words(run: Run) -> None:
    result = run(
        """
        def test_it():
            @tf.function
            def step(a, b, c): return a
            for n in range(1, 5):
                step(tf.zeros([n]), n, str(n))
        """,
        "--traceonce",
    )
    assert summary_of(result)[1].endswith("grows by 1 each time; b: a Python int, a new value each time; 1 more cause")


def test_without_the_option_there_is_no_summary(run: Run) -> None:
    result = run(STEPS + "@pytest.mark.max_traces(1)\ndef test_it():\n    train('a', 1)\n")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*traceonce ==*")


VERDICT_TESTS = {
    "retracing": "train('a', 1, 2, 3, 4)",
    "bounded": "train('a', 1, 2, *[1] * 20)",
    "failed": """with pytest.raises(ValueError):
        tf.function(lambda x: tf.zeros([2]) + tf.zeros([3]))(1.0)""",
    "confused": """step = tf.function(lambda x, training: x)
    step(tf.zeros([1]), 1), step(tf.zeros([1]), True)""",
    "stale": """step = tf.function(lambda x: x * RATE[0])
    step(tf.zeros([1]))
    RATE[0] = 0.0625
    step(tf.zeros([1]))""",
}


@pytest.mark.parametrize("verdict", list(VERDICT_TESTS))
def test_a_verdict_that_is_not_wanted_fails_the_test(run: Run, verdict: str) -> None:
    source = f"{STEPS}\nRATE = [0.375]\ndef test_it():\n    {VERDICT_TESTS[verdict]}\n\ndef test_fine():\n    pass\n"
    others = [other for other in VERDICTS if other != verdict]
    run(source, *(f"--traceonce-fail-on={other}" for other in others)).assert_outcomes(passed=2)
    result = run(source, "--traceonce-fail-on", verdict, "--traceonce-fail-on", others[0])
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"* is {verdict} (--traceonce-fail-on)",
            "*- traceonce -*",
            f"* is {verdict} (--traceonce-fail-on)",
            "  function   *, test_inner.py:*",
            f"  limit      no function may be {verdict} (--traceonce-fail-on)",
            "  note       1 of 1 traces raised: ValueError: *" if verdict == "failed" else "  cause      *",
        ]
    )
    result.stdout.no_fnmatch_line("*had not been traced before*")


def test_a_value_that_only_may_be_stale_fails_no_test(run: Run) -> None:
    """A flag leaves no mark in the graph: nobody can show that it was used."""
    source = """
        FLAG = [True]

        def test_it(traces):
            step = tf.function(lambda x: x if FLAG[0] else -x)
            step(tf.zeros([1]))
            FLAG[0] = False
            step(tf.zeros([1]))
            assert [d.verdict.value for d in traces] == ["stale"]
        """
    run(source, "--traceonce-fail-on=stale").assert_outcomes(passed=1)


def test_the_verdicts_are_those_of_traceonce_run() -> None:
    assert [verdict.value for verdict in Verdict if verdict is not Verdict.OK] == list(VERDICTS)


def test_a_verdict_that_there_is_not(run: Run) -> None:
    result = run("def test_it():\n    pass\n", "--traceonce-fail-on=ok")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--traceonce-fail-on: invalid choice: 'ok' (choose from *retracing*"])


def test_the_help_names_the_options(run: Run) -> None:
    text = run("", "--help").stdout.str()
    for option in ("--traceonce ", "--traceonce-fail-on=VERDICT", "--traceonce-baseline=FILE"):
        assert option in text
    assert "--traceonce-update-baseline" in text
    assert all(verdict in text for verdict in VERDICTS)
