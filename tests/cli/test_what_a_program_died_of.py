"""A program that ends by an exception: the recording has it, and what is known about it is told."""

from __future__ import annotations

import json

from tests.cli.shells import Shell

DIES = """
import tensorflow as tf

@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def train_step(x):
    return x * 2

train_step(tf.constant([1.0]))
train_step(tf.constant([1]))
"""
FAILS_TO_TRACE = """
import tensorflow as tf

@tf.function
def clip(x):
    return [value for value in [x] if value > 0]

try:
    clip(tf.constant(1.0))
except tf.errors.OperatorNotAllowedInGraphError:
    pass
"""


def test_an_exception_that_nobody_caught(shell: Shell) -> None:
    shell.write("train.py", DIES)
    done = shell.traceonce("run", "--recording", "run.jsonl", "train.py")
    assert done.status == 1
    told = done.errors.splitlines()
    (ended,) = [number for number, line in enumerate(told) if line.startswith("The program ended with TypeError: ")]
    assert told[ended + 1] == "  known   traceonce explain tensorflow/signature-mismatch-dtype"
    assert done.errors.count("Traceback (most recent call last)") == 1
    entries = [json.loads(line) for line in (shell.cwd / "run.jsonl").read_text().splitlines()]
    (end,) = [entry for entry in entries if entry["entry"] == "end"]
    assert end["error"].startswith("TypeError: Binding inputs to tf.function failed")
    explained = shell.traceonce("explain", "--latest")
    assert (explained.status, "tensorflow/signature-mismatch-dtype" in explained.text) == (0, True)
    assert "The program ended with TypeError" in shell.traceonce("report", "run.jsonl").text
    assert json.loads(shell.traceonce("report", "run.jsonl", "--format", "json").text)["exit_code"] == 1


def test_an_exception_that_no_record_knows_is_left_to_python(shell: Shell) -> None:
    shell.write("train.py", DIES.replace("train_step(tf.constant([1]))", "raise KeyError('mine')"))
    done = shell.traceonce("run", "train.py")
    assert (done.status, "The program ended with" in done.errors) == (1, False)


def test_a_trace_that_failed_names_its_record(shell: Shell) -> None:
    shell.write("train.py", FAILS_TO_TRACE)
    done = shell.traceonce("run", "train.py")
    assert done.status == 0
    assert "  known    traceonce explain tensorflow/symbolic-tensor-as-bool\n" in done.errors
