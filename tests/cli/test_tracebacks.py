"""An error inside a traced function looks as it does without traceonce: same lines, and no frame of ours."""

from __future__ import annotations

import re
import sys

import pytest

from tests.cli.shells import Shell
from tests.our_files import PACKAGE

FAILING = f"""\
OURS = {PACKAGE!r}
import traceback
import tensorflow as tf

@tf.function
def fails_in_trace(x):
    if x.shape[0] == 3:
        raise ValueError("three")
    return x + 1

@tf.function
def outer(x):
    return fails_in_trace(x) * 2

@tf.function
def fails_in_run(x):
    tf.debugging.assert_positive(x, message="must be positive")
    return x

@tf.custom_gradient
def fails_backward(x):
    def gradient(upstream):
        raise RuntimeError("no gradient")
    return x * 2, gradient

@tf.function
def differentiable(x):
    return fails_backward(x)

def differentiate():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = differentiable(x)
    tape.gradient(y, x)

outer(tf.zeros([2]))
calls = [
    lambda: fails_in_trace(tf.zeros([3])),
    lambda: outer(tf.zeros([3])),
    lambda: fails_in_run(tf.zeros([2])),
    differentiate,
]
for call in calls:
    try:
        call()
    except Exception as error:
        traceback.print_exc(file=__import__("sys").stdout)
        print(type(error), error.__cause__, error.__context__)
    else:
        raise AssertionError("it should have failed")

tf.debugging.disable_traceback_filtering()
for call in calls:
    try:
        call()
    except Exception as error:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            assert not frame.f_code.co_filename.startswith(OURS), frame
tf.debugging.enable_traceback_filtering()

outer(tf.zeros([3]))
"""


def normalise(text: bytes) -> str:
    """Without what differs from run to run: generated file names and addresses."""
    return re.sub(r"__autograph_generated_file\w+|0x[0-9a-f]+", "…", text.decode())


def test_errors_in_traced_functions(shell: Shell) -> None:
    shell.write("failing.py", FAILING)
    expected = shell.python("failing.py")
    outcome = shell.traceonce("run", "--fail-on", "failed", "failing.py")
    assert expected.out.count(b"Traceback") >= 4, expected
    assert normalise(outcome.out) == normalise(expected.out)
    assert (outcome.status, expected.status) == (1, 1)
    uncaught, _, report = normalise(outcome.err).partition("traceonce  ")
    start = "Traceback (most recent call last)"
    alone = normalise(expected.err)
    assert uncaught[uncaught.index(start) :] == alone[alone.index(start) :] + "\n", "the report stands apart"
    assert re.search(r"^fails_in_trace  tracing raised \d+ times", report, re.MULTILINE)
    assert "raised: ValueError: " in report


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 puts a frame back on re-raise")
def test_an_import_that_fails(shell: Shell) -> None:
    """A broken installation is the user's to see, as python shows it. The stub only has to be found and to fail."""
    shell.write("tensorflow.py", "def load():\n    raise ImportError('no such library')\n\nload()\n")
    shell.write("program.py", "import tensorflow\n")
    plain = shell.python("program.py")
    watched = shell.run("program.py")
    assert PACKAGE not in watched.err.decode()
    assert watched == plain
