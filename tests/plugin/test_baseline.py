"""``--traceonce-baseline``: what was accepted of each test, and what became of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.inner_runs import Run

BASELINE = "--traceonce-baseline=traces.json"
UPDATE = "--traceonce-update-baseline"
# The sizes that each test traces come from the environment, so that one file shows many states.
SOURCE = """
import os

def train(name):
    @tf.function
    def train_step(x): return x
    for size in os.environ[name].split():
        train_step(tf.zeros([int(size)]))

def test_a():
    train("A")

def test_b():
    train("B")
    if os.environ.get("FAIL"):
        raise ValueError("mine")
    train("AFTER")
"""
STEP = "train.<locals>.train_step (test_inner.py)"


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "1 2 3")
    monkeypatch.setenv("B", "1")
    monkeypatch.setenv("AFTER", "1")


def content(pytester: pytest.Pytester) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((pytester.path / "traces.json").read_text())
    return found


def accepted_of(pytester: pytest.Pytester) -> dict[str, int]:
    """The retraces accepted of each test, of its one function."""
    tests = content(pytester)["tests"]
    assert all(list(functions) == [STEP] for functions in tests.values())
    return {test.partition("::")[2]: functions[STEP]["retraces"] for test, functions in tests.items()}


def test_accepting_and_comparing(run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    created = run(SOURCE, BASELINE, UPDATE)
    created.assert_outcomes(passed=2)
    created.stdout.fnmatch_lines(["accepted in *traces.json: the state of 2 tests, 2 with retraces in all"])
    assert content(pytester) == {
        "schema": "traceonce.baseline/1",
        "functions": {},
        "tests": {
            "test_inner.py::test_a": {STEP: {"retraces": 2}},
            "test_inner.py::test_b": {STEP: {"retraces": 1}},  # the second function object, in test_b
        },
        "shared": {},
    }
    same = run(SOURCE, BASELINE)
    same.assert_outcomes(passed=2)
    same.stdout.no_fnmatch_line("*= traceonce =*")

    monkeypatch.setenv("A", "1 2 3 4 5")
    worse = run(SOURCE, BASELINE)
    worse.assert_outcomes(passed=1, failed=1)
    worse.stdout.fnmatch_lines(
        [
            "*_ test_a _*",
            f"{STEP}: retraces 2 → 4: more than the baseline accepts",
            "*- traceonce -*",
            "  function   train.<locals>.train_step, test_inner.py:*",
            f"  limit      {STEP}: retraces 2 → 4 (accepted → now, --traceonce-baseline)",
            "  count      5 traces, 4 retraces in 5 calls",
            "  cause      x.shape[[]0]: now 2, before 1 (grows by 1 each time; 1, 2, 3, 4, 5)",
        ]
    )
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 1}, "comparing changes nothing"

    run(SOURCE, BASELINE, UPDATE).assert_outcomes(passed=2)
    run(SOURCE, BASELINE).assert_outcomes(passed=2)
    assert accepted_of(pytester) == {"test_a": 4, "test_b": 1}


def test_what_became_better_is_mentioned_and_can_be_accepted(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(SOURCE, BASELINE, UPDATE)
    monkeypatch.setenv("A", "1")
    better = run(SOURCE, BASELINE)
    better.assert_outcomes(passed=2)
    better.stdout.fnmatch_lines(
        [
            "*= traceonce =*",
            "1 function needed less than the baseline accepts (or another test *Accept *--traceonce-update-baseline:",
            f"  test_inner.py::test_a: {STEP}: retraces 2 → 0",
        ]
    )
    run(SOURCE, BASELINE, UPDATE)
    assert accepted_of(pytester) == {"test_b": 1}, "a test without retraces needs no entry"


def test_a_function_that_the_baseline_does_not_name(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A", "1")
    run(SOURCE, BASELINE, UPDATE)
    monkeypatch.setenv("A", "1 2")
    result = run(SOURCE, BASELINE)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"{STEP}: retraces 0 → 1: more than the baseline accepts"])


def test_tests_that_do_not_run_keep_their_entries(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(SOURCE, BASELINE, UPDATE)
    monkeypatch.setenv("A", "1 2")
    monkeypatch.setenv("B", "1 2")
    run(SOURCE, BASELINE, UPDATE, "-k", "test_b").assert_outcomes(passed=1, deselected=1)
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 2}
    run(SOURCE, BASELINE, UPDATE, "-k", "nothing")
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 2}


def test_a_run_without_tests_writes_nothing(run: Run, pytester: pytest.Pytester) -> None:
    run(SOURCE, BASELINE, UPDATE, "--collect-only")
    assert not (pytester.path / "traces.json").exists()


def test_a_test_that_ended_early_loses_nothing_that_was_accepted(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have had more to trace: test_b fails before its second function."""
    run(SOURCE, BASELINE, UPDATE)
    monkeypatch.setenv("FAIL", "1")
    compared = run(SOURCE, BASELINE)
    compared.assert_outcomes(passed=1, failed=1)
    compared.stdout.no_fnmatch_line("*needed less than*")
    run(SOURCE, BASELINE, UPDATE).assert_outcomes(passed=1, failed=1)
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 1}
    monkeypatch.setenv("B", "1 2 3 4")
    run(SOURCE, BASELINE, UPDATE)
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 3}, "what it showed is accepted"


def test_a_test_that_fails_by_its_mark_alone_is_accepted_as_it_is(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = SOURCE.replace("def test_a", "@pytest.mark.max_traces(1)\ndef test_a")
    monkeypatch.setenv("A", "1 2 3 4")
    run(marked, BASELINE, UPDATE).assert_outcomes(passed=1, failed=1)
    assert accepted_of(pytester)["test_a"] == 3
    monkeypatch.setenv("A", "1 2")
    run(marked, BASELINE, UPDATE).assert_outcomes(passed=1, failed=1)
    assert accepted_of(pytester)["test_a"] == 1


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_what_another_test_had_traced_makes_no_retrace(
    run: Run, pytester: pytest.Pytester, order: tuple[str, str]
) -> None:
    """A shared function, traced for two shapes in each test: one first trace and one retrace, in any order."""
    result = run(
        """
        @tf.function
        def step(x): return x

        def test_a():
            step(tf.zeros([1])), step(tf.zeros([2]))

        def test_b():
            step(tf.zeros([3])), step(tf.zeros([4]))
        """,
        BASELINE,
        UPDATE,
        *(f"test_inner.py::test_{name}" for name in order),
    )
    result.assert_outcomes(passed=2)
    assert set(map(str, content(pytester)["tests"].values())) == {"{'step (test_inner.py)': {'retraces': 1}}"}


def test_what_is_accepted_is_no_unwanted_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    both = (BASELINE, "--traceonce-fail-on=retracing")
    run(SOURCE, *both, UPDATE).assert_outcomes(passed=2)
    run(SOURCE, *both).assert_outcomes(passed=2)
    run(SOURCE, both[1]).assert_outcomes(passed=1, failed=1)
    monkeypatch.setenv("B", "1 2 3 4")
    run(SOURCE, *both).assert_outcomes(passed=1, failed=1)


def test_a_trace_that_raised_is_never_accepted(run: Run) -> None:
    failing = """
        def test_it():
            @tf.function
            def step(x, fail):
                if fail:
                    raise ValueError("mine")
                return x
            step(tf.zeros([1]), False), step(tf.zeros([2]), False)
            with pytest.raises(ValueError, match="mine"):
                step(tf.zeros([1]), True)
        """
    both = (BASELINE, "--traceonce-fail-on=failed")
    run(failing, *both, UPDATE).assert_outcomes(failed=1)
    run(failing, *both).assert_outcomes(failed=1)


def test_the_part_of_traceonce_run_is_kept(run: Run, pytester: pytest.Pytester) -> None:
    accepted = {"step (train.py)": {"retraces": 7}}
    Path("traces.json").write_text(json.dumps({"schema": "traceonce.baseline/1", "functions": accepted}))
    run(SOURCE, BASELINE, UPDATE).assert_outcomes(passed=2)
    assert content(pytester)["functions"] == accepted
    assert accepted_of(pytester) == {"test_a": 2, "test_b": 1}


def test_names_are_from_the_root_wherever_pytest_is_started(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(SOURCE, BASELINE, UPDATE)
    folder = pytester.mkdir("below")
    pytester.makeini("[pytest]\n")  # marks the root
    monkeypatch.chdir(folder)
    run(SOURCE, "--traceonce-baseline=../traces.json", "..").assert_outcomes(passed=2)
    monkeypatch.setenv("A", "1 2 3 4")
    run(SOURCE, "--traceonce-baseline=../traces.json", "..").assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, [BASELINE], "*traces.json: no such file. Create it with --traceonce-update-b*"),
        ("{", [BASELINE], "*traces.json: is not a baseline (*Correct it, or *--traceonce-update-baseline.*"),
        ("{", [BASELINE, UPDATE], "*traces.json: is not a baseline (*"),
        ('{"schema": "other/1"}', [BASELINE], "*traces.json: field 'schema' is 'other/1', not 'traceonce.baseline/1'*"),
        (None, [UPDATE], "*--traceonce-update-baseline: name the file, too, with --traceonce-baseline FILE."),
        (None, ["--traceonce-baseline="], "*--traceonce-baseline *: cannot be read: *"),
        (None, ["--traceonce-baseline=no/t.json", UPDATE], "*no/t.json: no folder *no. Create it first."),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_of_usage(
    run: Run, text: str | None, options: list[str], message: str
) -> None:
    if text is not None:
        Path("traces.json").write_text(text)
    result = run(SOURCE, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
    assert "Traceback" not in result.stderr.str()


def test_a_file_that_cannot_be_written_is_said_at_the_end(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        f"{SOURCE}\n@pytest.fixture(autouse=True, scope='session')\ndef in_the_way():\n    os.mkdir('traces.json')\n",
        BASELINE,
        UPDATE,
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["--traceonce-baseline *traces.json: cannot be written: *. The state of this run is not *"]
    )
    assert not re.findall(r"\.tmp", " ".join(path.name for path in pytester.path.iterdir()))


SHARED = """
import os

@tf.function
def shared(x, k): return x * k

def use(name):
    for k in map(int, os.environ[name].split()):
        shared(tf.zeros([2]), k)

def test_a(): use("A")
def test_b(): use("B")
"""


def test_which_test_comes_first_does_not_matter(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function of a module is traced by the test that comes first, alone or on its worker; new values are new."""
    monkeypatch.setenv("B", "1 2 3")
    run(SHARED, BASELINE, UPDATE).assert_outcomes(passed=2)
    assert list(content(pytester)["tests"]) == ["test_inner.py::test_a"]
    (digests,) = content(pytester)["shared"].values()
    assert len(digests) == 3
    run(SHARED, BASELINE, "-k", "test_b").assert_outcomes(passed=1, deselected=1)
    monkeypatch.setenv("B", "1 2 3 4 5")
    for arguments in (("-k", "test_b"), ()):
        worse = run(SHARED, BASELINE, *arguments)
        assert worse.parseoutcomes()["failed"] == 1
        worse.stdout.fnmatch_lines(["shared (test_inner.py): retraces 0 → *: more than the baseline accepts"])
