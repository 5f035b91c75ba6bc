"""Limits and the baseline, as a user meets them: options, environment, project, exit statuses, files."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.shells import Outcome, Shell

# JAX, since it is the quickest to import: that is most of what these tests take.
TRAIN = """\
import functools, sys
import jax, numpy as np

@functools.partial(jax.jit, static_argnames="step")
def train_step(x, step):
    return x.sum() + step

@jax.jit
def evaluate(x):
    return x.sum()

for step in range(int(sys.argv[1])):
    train_step(np.zeros(2), step)
    evaluate(np.zeros(2))
print("done")
"""
# With TensorFlow, the error is one of its own.
CAUGHT = """\
import sys
import tensorflow as tf

@tf.function
def train_step(x, step):
    return tf.reduce_sum(x) + tf.cast(step, tf.float32)

for step in range(int(sys.argv[1])):
    try:
        train_step(tf.zeros([2]), step)
    except tf.errors.ResourceExhaustedError as error:
        print(str(error).splitlines()[0])
print("done")
"""
MESSAGE = (
    "The function 'train_step' has been retraced {} times. The tracing limit has been reached. "
    "This may be caused by passing Python literals or tensors with changing shapes."
)


@pytest.fixture
def shell(shell: Shell) -> Shell:
    shell.write("train.py", TRAIN)
    shell.write("caught.py", CAUGHT)
    return shell


def refused(outcome: Outcome, retraces: int) -> bool:
    """Did the program end with our error, told once, at its own line?"""
    told = outcome.errors.count(MESSAGE.format(retraces))
    site = re.search(r"called at  train\.py:13$", outcome.errors, re.MULTILINE)
    return outcome.status == 1 and b"done" not in outcome.out and told == 1 and site is not None


def test_max_traces_raises_in_the_program_and_is_in_the_report(shell: Shell) -> None:
    outcome = shell.traceonce("run", "--max-traces", "3", "train.py", "9")
    assert refused(outcome, 2)
    assert "limit      3 traces; this call would exceed it\n" in outcome.errors
    assert "cause      step: now 3, before 2 (a static argument, compiled in by value)\n" in outcome.errors
    assert "limit  train_step has reached its limit of 3 traces; 1 call refused\n" in outcome.errors
    assert outcome.errors.endswith("traceonce: limit reached: train_step (3 traces)\n")


def test_a_limit_that_the_program_survives_is_exit_status_3(shell: Shell) -> None:
    outcome = shell.run("--max-traces", "train_step=3", "caught.py", "6")
    assert outcome.status == 3
    assert outcome.text.splitlines() == [MESSAGE.format(2)] * 3 + ["done"]


def test_a_limit_of_another_function_is_none(shell: Shell) -> None:
    outcome = shell.run("--max-traces", "evaluate=1", "train.py", "4")
    assert (outcome.status, outcome.text) == (0, "done\n")


def test_warn_lets_the_program_go_on_and_says_so_in_the_recording(shell: Shell) -> None:
    outcome = shell.traceonce(
        "run", "--max-traces", "2", "--on-limit", "warn", "--format", "json", "-o", "r.json", "train.py", "6"
    )
    assert (outcome.status, outcome.text) == (3, "done\n")
    assert outcome.errors.count("train.py:13: TracingLimitWarning: " + MESSAGE.format(1)) == 1
    (breach,) = json.loads((shell.cwd / "r.json").read_text())["breaches"]
    assert breach["refused"] is False
    assert breach["limit"] == {"most": 2, "of": "traces"}
    assert breach["call_site"] == {"file": "train.py", "line": 13}
    again = shell.traceonce("report", "r.json")
    assert "limit  train_step has reached its limit of 2 traces; the program went on\n" in again.text


def test_the_environment_limits_a_program_that_knows_nothing_of_us(shell: Shell) -> None:
    """Not even `traceonce run` is needed."""
    assert refused(shell.python("train.py", "9", env={"TRACEONCE_LIMIT": "4"}), 4)
    outcome = shell.run("train.py", "9", env={"TRACEONCE_LIMIT": "4"})
    assert refused(outcome, 4)
    assert outcome.errors.count("limit      4 retraces") == 1


def test_a_wrong_variable_stops_no_program(shell: Shell) -> None:
    outcome = shell.python("train.py", "3", env={"TRACEONCE_LIMIT": "lots"})
    assert (outcome.status, outcome.text) == (0, "done\n")
    assert outcome.errors.count("traceonce: TRACEONCE_LIMIT is 'lots'; set it to a whole number of retraces") == 1


def test_a_log_line_per_retrace_for_a_program_that_knows_nothing_of_us(shell: Shell) -> None:
    outcome = shell.python("train.py", "3", env={"TRACEONCE_LOG": "1"})
    assert (outcome.status, outcome.text) == (0, "done\n")
    lines = [line for line in outcome.errors.splitlines() if line.startswith("train_step retraced")]
    assert ["step: now 1, before 0" in lines[0], "step: now 2, before 1" in lines[1], len(lines)] == [True, True, 2]


def test_the_project_sets_defaults_and_options_go_before_them(shell: Shell) -> None:
    shell.write("pyproject.toml", '[tool.traceonce]\nlimit = 2\nfail_on = ["retracing"]\n')
    assert refused(shell.run("train.py", "9"), 2)
    outcome = shell.traceonce("run", "--max-traces", "50", "train.py", "9")
    assert outcome.status == 3
    assert outcome.errors.endswith("traceonce: --fail-on: train_step is retracing\n")


def test_a_baseline_is_made_kept_broken_and_bettered(shell: Shell) -> None:
    made = shell.traceonce("run", "--baseline", "traces.json", "--update-baseline", "train.py", "4")
    assert made.status == 0
    assert made.errors.endswith("traceonce: accepted in traces.json: 1 function\n")
    accepted = (shell.cwd / "traces.json").read_bytes()
    assert json.loads(accepted)["functions"] == {"train_step (train.py)": {"retraces": 3}}

    kept = shell.traceonce("run", "--baseline", "traces.json", "train.py", "4")
    assert kept.status == 0
    assert "accepted by the baseline" in kept.errors

    worse = shell.traceonce("run", "--baseline", "traces.json", "--format", "github", "train.py", "6")
    assert worse.status == 3
    assert "\n::error file=train.py,line=4,title=traceonce%3A train_step is retracing::" in "\n" + worse.errors
    assert worse.errors.endswith("traceonce: --baseline: train_step (train.py): retraces 3 → 5\n")

    better = shell.traceonce("run", "--baseline", "traces.json", "train.py", "2")
    assert better.status == 0
    assert (
        "better than the baseline (train_step (train.py): retraces 3 → 1); --update-baseline records it"
        in better.errors
    )
    assert (shell.cwd / "traces.json").read_bytes() == accepted


def test_with_fail_on_only_what_is_new_fails(shell: Shell) -> None:
    shell.run("--baseline", "traces.json", "--update-baseline", "train.py", "5")
    old = shell.run("--baseline", "traces.json", "--fail-on", "retracing", "train.py", "5")
    new = shell.run("--baseline", "traces.json", "--fail-on", "retracing", "train.py", "7")
    assert (old.status, new.status) == (0, 3)


def test_a_program_that_fails_changes_no_baseline(shell: Shell) -> None:
    shell.write("fails.py", "import jax\nraise SystemExit(5)\n")
    (shell.cwd / "traces.json").write_text('{"schema": "traceonce.baseline/1", "functions": {}, "tests": {}}')
    before = (shell.cwd / "traces.json").read_bytes()
    outcome = shell.traceonce("run", "--baseline", "traces.json", "--update-baseline", "fails.py")
    assert outcome.status == 5
    assert "--update-baseline: the program failed, so traces.json was not changed." in outcome.errors
    assert (shell.cwd / "traces.json").read_bytes() == before
