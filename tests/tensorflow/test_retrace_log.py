"""`traceonce.log_retraces`: one line per retrace through `logging`, and never a harm to the program."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import traceonce
from traceonce.facts import Entry, Notice
from traceonce.integrations.retrace_log import ordinal
from traceonce.observe.hub import hub

HERE = "tests/tensorflow/test_retrace_log.py"


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """The logger as it is without any configuration, and so again after the test."""
    logger = logging.getLogger("traceonce")
    yield logger
    logger.setLevel(logging.NOTSET)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Function, count and causes of each line."""
    return [record.getMessage().partition(" · ")[0] for record in caplog.records if record.name == "traceonce"]


def test_a_line_per_retrace(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def train_step(x: Any, k: Any) -> Any:
        return tf.reduce_sum(x) * k

    with traceonce.log_retraces():
        for size, k in ((5, 2.0), (5, 2.0), (7, 3.0), (7, 4.0)):
            train_step(tf.zeros([size]), k)
            line = sys._getframe().f_lineno - 1
    name = "test_a_line_per_retrace.<locals>.train_step"
    written = train_step.python_function.__code__.co_firstlineno
    first, second = caplog.records
    assert re.fullmatch(
        rf"{re.escape(name)} retraced, the 1st time: x\.shape\[0\]: now 7, before 5 \(varies\)"
        r"; k: now 3\.0, before 2\.0 \(a Python float\)"
        rf" · (under 1 ms|\d+ ms|\d+\.\d s) · {HERE}:{written}, called from {HERE}:{line}",
        first.getMessage(),
    ), first.getMessage()
    assert lines(caplog)[1] == f"{name} retraced, the 2nd time: k: now 4.0, before 3.0 (a Python float)"
    assert (second.name, second.levelno, second.pathname, second.lineno) == ("traceonce", logging.WARNING, HERE, line)


def test_the_record_has_the_same_as_data(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    step = tf.function(lambda k: tf.constant(k))
    with traceonce.watch() as seen, traceonce.log_retraces():
        step(1)
        step(2)
        line = sys._getframe().f_lineno - 1
    (record,) = caplog.records
    assert record.__dict__["traceonce"] == {
        "function": "test_the_record_has_the_same_as_data.<locals>.<lambda>",
        "backend": "tensorflow",
        "file": HERE,
        "line": step.python_function.__code__.co_firstlineno,
        "call_site": f"{HERE}:{line}",
        "retraces": 1,
        "ordinal": 2,
        "call": 2,
        "seconds": seen.events[1].seconds,
        "causes": [{"code": "value", "path": "k", "was": "1", "now": "2", "evidence": "measured"}],
    }


def test_words_where_now_and_before_look_alike(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Thing:
        pass

    things = [Thing(), Thing()]
    step = tf.function(lambda thing: tf.constant(1))
    with traceonce.log_retraces():
        for thing in things:
            step(thing)
        for _ in range(2):
            tf.function(lambda x: x + 1)(tf.constant(1.0))
    assert [line.partition(" time: ")[2] for line in lines(caplog)] == [
        "thing: now Thing object, before Thing object (another Thing object)",
        "<lambda>: now function object 2, before function object 1 (the same code, wrapped in tf.function again)",
    ]


def test_what_is_no_retrace_is_not_logged(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    """First traces, what TensorFlow traces for itself, and traces that raise."""

    class Model:
        v = None

        @tf.function
        def step(self, x: Any, fail: bool = False) -> Any:
            if self.v is None:
                self.v = tf.Variable(1.0)
            if fail:
                raise ValueError("no way")
            return tf.reduce_sum(x) * self.v

    model = Model()
    with traceonce.log_retraces():
        model.step(tf.zeros([3]))
        with pytest.raises(ValueError, match="no way"):
            model.step(tf.zeros([3]), fail=True)
        assert lines(caplog) == []
        model.step(tf.zeros([4]))
    assert [line.partition(": ")[2] for line in lines(caplog)] == ["x.shape[0]: now 4, before 3 (varies)"]


def test_each_function_has_its_own_count(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    one = tf.function(lambda k: tf.constant(k))
    two = tf.function(lambda k: tf.constant(k) + 1)
    with traceonce.log_retraces():
        for k in range(3):
            one(k)
            two(k)
    assert [line.partition(", the ")[2].partition(" ")[0] for line in lines(caplog)] == ["1st", "1st", "2nd", "2nd"]


def test_asked_for_twice_it_still_logs_once(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    step = tf.function(lambda k: tf.constant(k))
    outer = traceonce.log_retraces()
    with traceonce.log_retraces() as inner:
        step(0)
        step(1)
        assert len(lines(caplog)) == 1
    step(2)
    inner.remove()
    step(3)
    assert len(lines(caplog)) == 3
    outer.remove()
    outer.remove()
    step(4)
    assert len(lines(caplog)) == 3


def test_a_log_whose_block_has_ended_can_be_entered_again(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    step = tf.function(lambda x, k: x * k)
    log = traceonce.log_retraces()
    for k in (1, 2):
        with log:
            step(tf.zeros([2]), 10 * k)
            step(tf.zeros([2]), 10 * k + 1)
        step(tf.zeros([2]), 10 * k + 2)  # not logged
    assert [line.rpartition("now ")[2][:2] for line in lines(caplog)] == ["11", "20", "21"]


def test_it_knows_what_was_traced_before(tf: Any, caplog: pytest.LogCaptureFixture) -> None:
    step = tf.function(lambda k: tf.constant(k))
    step(1)
    for k in (2, 3):
        with traceonce.log_retraces():
            step(k)
    assert [line.partition(" retraced, ")[2] for line in lines(caplog)] == [
        "the 1st time: k: now 2, before 1 (a Python int)",
        "the 1st time: k: now 3, before 2 (a Python int)",
    ]


def test_a_level_that_hides_it_does_not_confuse_it(
    tf: Any, caplog: pytest.LogCaptureFixture, logger: logging.Logger
) -> None:
    step = tf.function(lambda k: tf.constant(k))
    with traceonce.log_retraces():
        logger.setLevel(logging.ERROR)
        step(1)
        step(2)
        assert lines(caplog) == []
        logger.setLevel(logging.NOTSET)
        step(3)
    assert [line.partition(" retraced, ")[2] for line in lines(caplog)] == [
        "the 2nd time: k: now 3, before 2 (a Python int)"
    ]


def test_a_handler_that_raises_does_not_reach_the_program(tf: Any, logger: logging.Logger) -> None:
    """It is noted, once."""

    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("disk full")

    class Problems(list[str]):
        def write(self, entry: Entry) -> None:
            if isinstance(entry, Notice) and entry.error:
                self.append(entry.text)

    logger.addHandler(Broken())
    step, problems = tf.function(lambda k: tf.constant(k)), Problems()
    hub.join(problems)
    with traceonce.log_retraces():
        assert [int(step(k)) for k in range(4)] == [0, 1, 2, 3]
    hub.leave(problems)
    assert problems == ["logging retraces failed (OSError: disk full); the program was not affected"]


def test_it_is_seen_without_any_configuration(tmp_path: Path) -> None:
    """On stderr, for the rest of the program."""
    (tmp_path / "train.py").write_text(
        textwrap.dedent(
            """\
            import traceonce
            traceonce.log_retraces()
            import tensorflow as tf

            @tf.function
            def train_step(k):
                return tf.constant(k)

            for k in range(3):
                train_step(k)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("train_step retraced")]
    assert [line.partition(" · ")[0] for line in said] == [
        "train_step retraced, the 1st time: k: now 1, before 0 (a Python int)",
        "train_step retraced, the 2nd time: k: now 2, before 1 (a Python int)",
    ]
    assert all(line.endswith(" · train.py:5, called from train.py:10") for line in said), said
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st"),
     (112, "112th"), (1001, "1,001st")],
)  # fmt: skip
def test_ordinals(number: int, words: str) -> None:
    assert ordinal(number) == words
