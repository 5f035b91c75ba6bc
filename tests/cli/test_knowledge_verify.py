"""``traceonce knowledge verify`` on a base of one's own, with the real framework."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.shells import Shell

EXPERIMENT = """
import time
import tensorflow as tf
from traceonce.knowledge.experiment import Retraces, cases

symptom = Retraces(traces=3, cause="value", path="step")

def failure():
    @tf.function
    def train_step(step):
        return tf.constant(1.0) * step
    return [train_step(step) for step in (1.0, 2.0, 3.0)]

def workaround_tensor():
    @tf.function
    def train_step(step):
        return tf.constant(1.0) * step
    return [train_step(tf.constant(step)) for step in (1.0, 2.0, 3.0)]

def dead_end_relax():
    @tf.function(reduce_retracing=True)
    def train_step(step):
        return tf.constant(1.0) * step
    return [train_step(step) for step in (1.0, 2.0, 3.0)]
"""
RECORD = {
    "id": "tensorflow/mine",
    "signature": "train_step retraced",
    "regex": "retraced",
    "domain": "tensorflow",
    "note_of_mine": {"kept": True},
    "workarounds": [{"action": "Pass a tensor", "success_rate": 0.3, "experiment": "workaround_tensor"}],
    "dead_ends": [{"action": "Relax", "why_fails": "values stay", "experiment": "dead_end_relax"}],
    "experiment": "tensorflow/mine.py",
}
VERIFY = ("knowledge", "verify", "--base", ".")


@pytest.fixture
def base(shell: Shell) -> Shell:
    shell.write("experiments/tensorflow/mine.py", EXPERIMENT)
    shell.write("records/tensorflow/mine.json", json.dumps(RECORD))
    return shell


def record(base: Shell) -> dict[str, object]:
    return json.loads((base.cwd / "records/tensorflow/mine.json").read_text())  # type: ignore[no-any-return]


def test_evidence_is_written_checked_and_kept(base: Shell) -> None:
    done = base.traceonce(*VERIFY, "--runs", "2")
    unexpected = [line for line in done.errors.splitlines() if not line.endswith(" runs …")]  # on a slow machine
    assert (done.status, unexpected) == (0, [])
    assert done.out.splitlines()[1] == b"Every claim held; written to records."
    written = record(base)
    (evidence,) = written["evidence"]
    assert (evidence["runs"], evidence["held"], evidence["traces_after"]) == (2, 2, 3)
    (workaround,) = written["workarounds"]
    assert (workaround["success_rate"], workaround["evidence"][0]["outcome"]) == (1.0, "1 trace, right outputs")
    assert (workaround["evidence"][0]["traces_before"], workaround["evidence"][0]["traces_after"]) == (3, 1)
    assert workaround["how"].endswith("[train_step(tf.constant(step)) for step in (1.0, 2.0, 3.0)]")
    assert (written["verification_tier"], written["note_of_mine"]) == ("reproduced", {"kept": True})
    assert any("a Python float" in example for example in written["examples"])

    assert base.traceonce(*VERIFY, "mine", "--check").status == 0
    assert record(base) == written
    base.write("experiments/tensorflow/mine.py", EXPERIMENT.replace("tf.constant(step)) for", "step) for"))
    done = base.traceonce(*VERIFY, "--check")
    assert done.status == 1
    assert b"tensorflow/mine  workaround_tensor: was: 1 trace, right outputs; now: 3 traces" in done.out
    assert record(base) == written

    done = base.traceonce(*VERIFY)
    assert done.status == 1
    assert b"tensorflow/mine  workaround_tensor: 3 traces\n1 claim did not hold" in done.out
    assert record(base)["workarounds"][0]["success_rate"] == 0.0


def test_an_experiment_that_hangs_is_told(base: Shell) -> None:
    base.write(
        "experiments/tensorflow/mine.py",
        EXPERIMENT.replace("def dead_end_relax():", "def dead_end_relax():\n    time.sleep(99)"),
    )
    done = base.traceonce(*VERIFY, "--time-limit", "2")
    assert done.status == 1
    assert b"dead_end_relax: it ran longer than 2 s and was stopped" in done.out
    assert record(base)["dead_ends"][0]["fail_rate"] == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"experiment": None}, "tensorflow/mine: the field 'experiment' is empty; name the module"),
        ({"experiment": "tensorflow/none.py"}, "none.py: cannot be read (No such file or directory)"),
        ({"experiment": "../../outside.py"}, "lies outside of experiments/; move it there"),
        ({"workarounds": [{"action": "x", "experiment": "gone"}]}, "there is no function 'gone' in"),
        ({"workarounds": []}, "no claim of tensorflow/mine names workaround_tensor; add one"),
        ({"id": "tensorflow/other"}, "mine.json: id: is 'tensorflow/other'; it must be tensorflow/mine"),
        ({"domain": "nowhere"}, "there is no backend for 'nowhere'"),
    ],
)
def test_what_cannot_be_run_is_said_at_once(base: Shell, change: dict[str, object], words: str) -> None:
    base.write("records/tensorflow/mine.json", json.dumps({**RECORD, **change}))
    done = base.traceonce(*VERIFY)
    assert done.status == 2
    assert words in done.errors


def test_names_that_are_not_there(base: Shell) -> None:
    done = base.traceonce(*VERIFY, "mien")
    assert (done.status, done.err) == (
        2,
        b"traceonce: there is no record 'mien'. Did you mean tensorflow/mine?\n",
    )
    done = base.traceonce("knowledge", "verify", "--base", str(Path("nowhere")))
    assert (done.status, b"nowhere: has no folder records/" in done.err) == (2, True)


def test_fewer_runs_do_not_replace_more_that_say_the_same(base: Shell) -> None:
    base.traceonce(*VERIFY, "--runs", "3")
    kept = record(base)
    assert base.traceonce(*VERIFY).status == 0
    renewed = record(base)
    assert {**renewed, "examples": []} == {**kept, "examples": []}


def test_the_example_of_the_guide(shell: Shell) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "knowledge.md").read_text()
    written, experiment = (re.findall(rf"```{kind}\n(.*?)```", guide, re.S)[0] for kind in ("json", "python"))
    shell.write("records/tensorflow/python-step.json", written)
    shell.write("experiments/tensorflow/python_step.py", experiment)
    done = shell.traceonce(*VERIFY, "python-step")
    assert (done.status, done.text.splitlines()[1]) == (0, "Every claim held; written to records.")


def test_an_imported_record_is_read_like_ours(shell: Shell) -> None:
    own = {"id": "tensorflow/my-own", "signature": "a message of mine", "regex": "a message of mine"}
    shell.write("mine.json", json.dumps(own))
    assert shell.traceonce("knowledge", "import", "mine.json").status == 0
    assert shell.traceonce("explain", "here is a message of mine").text.startswith("tensorflow/my-own")
    matches = json.loads(shell.traceonce("knowledge", "match", "a message of mine").text)["matches"]
    assert [found["record"] for found in matches] == ["tensorflow/my-own"]
    assert shell.traceonce("knowledge", "show", "my-own").status == 0
    assert shell.traceonce("knowledge", "show", "retracing-shape").status == 0
