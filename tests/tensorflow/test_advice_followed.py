"""Advice is right: whoever follows its snippet by hand gets the traces that were promised, in real TensorFlow."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import traceonce
from traceonce.diagnosis import diagnose_with_events
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.suggestions import make_case
from traceonce.frameworks.tensorflow.recipes import (
    drop_remainder,
    leave_it,
    pad_or_bucket,
    remove_function,
    reuse_instance,
    split_static_argument,
    uniform_structure,
)

MODULES = (
    drop_remainder, leave_it, pad_or_bucket, remove_function, reuse_instance, split_static_argument, uniform_structure,
)  # fmt: skip
EXAMPLES = [(module.RECIPE, example) for module in MODULES for example in module.RECIPE.examples]

# For each example, what its reader changes: a text of the program, and what is written in its place. Lines of the
# advice are taken to the letter: the first, the last, all before the last.
FOLLOWED: dict[str, list[tuple[str, str]]] = {
    "A compiled step over sentences of any length": [
        ("for size", "{helper}\n\n\nfor size"),
        ("print(float(total(tf.ones([2, size]))))", "x = tf.ones([2, size])\n    print(float({last}))"),
    ],
    "A compiled function over ten examples in batches of four, with a growing scale": [
        (".batch(4)", ".batch(4, drop_remainder=True)"),
    ],
    "An optional bias": [
        ('    total({"x": tf.ones([4])}, scale)', '    batch = {{"x": tf.ones([4])}}\n    {first}\n    {last}'),
    ],
    "A list of any number of pictures": [
        ("@tf.function", "{first}"),
        ("merge([tf.ones([8])] * count)", "pictures = [tf.ones([8])] * count\n    {last}"),
    ],
    "A scorer created for every batch": [
        ("    scorer = Scorer()\n", ""),
        ("for number", "scorer = Scorer()\nfor number"),
        ("scorer.score(tf.ones([3]) * number)", "x := tf.ones([3]) * number, {last})[1]"),
        ("print(float(x", "print(float((x"),
    ],
    "A callback that differs on every call": [("@tf.function\n", "")],
    "A statistic chosen by name": [
        ("\n\nfor name", "\n\n{helper}\n\nfor name"),
        ("summarize(tf.ones([3]), name)", "(x := tf.ones([3]), {last})[1]"),
    ],
}


def watched(program: str, folder: Path) -> traceonce.Watch:
    file = folder / "train.py"
    file.write_text(program)
    with traceonce.watch() as seen:
        runpy.run_path(str(file))
    return seen


def advice(recipe: Recipe, example: Example, folder: Path) -> Candidate:
    seen = watched(example.program, folder)
    (case,) = [
        make_case(diagnosis, events, seen.recording.environment)
        for diagnosis, events in diagnose_with_events(seen.recording)
        if diagnosis.function.name == example.function
    ]
    assert case.diagnosis.traces == example.traces_before
    (candidate,) = recipe.propose(case)
    assert candidate.predicted_traces == example.traces_after
    return candidate


def follow(example: Example, snippet: str) -> str:
    lines = snippet.splitlines()
    *helper, last = lines
    texts = {"first": lines[0], "last": last, "helper": "\n".join(helper)}
    program = example.program
    for old, new in FOLLOWED[example.title]:
        assert program.count(old) == 1, old
        program = program.replace(old, new.format(**texts))
    return program


@pytest.mark.parametrize(("recipe", "example"), EXAMPLES, ids=[example.title for _, example in EXAMPLES])
def test_whoever_follows_it_gets_the_traces_that_were_promised(
    tf: Any, tmp_path: Path, recipe: Recipe, example: Example
) -> None:
    candidate = advice(recipe, example, tmp_path)
    if recipe is leave_it.RECIPE:
        assert candidate.snippet is None
        return
    assert candidate.snippet
    assert candidate.snippet.replace(f"{tmp_path}/", "") == example.advice  # as its page shows it
    seen = watched(follow(example, candidate.snippet), tmp_path)
    assert sum(diagnosis.traces for diagnosis in seen.diagnoses if "[dataset]" not in diagnosis.function.name) == (
        example.traces_after
    )


SPLIT = """\
import functools
import tensorflow as tf


class Model:
    def __init__(self):
        self.scale = 2.0

    @tf.function
    def predict(self, x, mode):
        return tf.reduce_sum(x) * self.scale if mode == "sum" else tf.reduce_max(x) * self.scale


model = Model()
{change}
for size in (3, 4, 5, 6):
    for mode in ("sum", "max"):
        x = tf.ones([size])
        print(float({call}))
"""


def test_a_table_of_methods_and_a_switch_inside_the_class_work(
    tf: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = watched(SPLIT.format(change="", call="model.predict(x, mode)"), tmp_path)
    before = capsys.readouterr().out
    ((diagnosis, events),) = diagnose_with_events(seen.recording)
    assert diagnosis.traces == 8
    table, switch = split_static_argument.RECIPE.propose(make_case(diagnosis, events, {}))
    *change, call = (table.snippet or "").splitlines()
    tabled = watched(SPLIT.format(change="\n".join(change), call=call), tmp_path)
    assert capsys.readouterr().out == before
    assert [d.traces for d in tabled.diagnoses] == [table.predicted_traces]
    modes, _, *method, _, call = (switch.snippet or "").splitlines()
    inside = "\n".join(f"    {line}" for line in method)
    program = SPLIT.replace("\n\nmodel = Model()", f"\n{inside}\n\n\n{modes}\nmodel = Model()")
    switched = watched(program.format(change="", call=call), tmp_path)
    assert capsys.readouterr().out == before
    assert [d.traces for d in switched.diagnoses] == [switch.predicted_traces]


MASKED = """\
import functools
import tensorflow as tf


@tf.function
def total(x, mask):
    return tf.reduce_sum(x if mask is None else x * mask)


{change}
for size in (3, 4, 5, 6):
    for x, mask in ((tf.ones([size]), None), (tf.ones([size]), tf.zeros([size]))):
        print(float({call}))
"""


def test_one_function_for_none_and_one_for_tensors(tf: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = watched(MASKED.format(change="", call="total(x, mask)"), tmp_path)
    before = capsys.readouterr().out
    ((diagnosis, events),) = diagnose_with_events(seen.recording)
    (candidate,) = split_static_argument.RECIPE.propose(make_case(diagnosis, events, {}))
    *change, call = (candidate.snippet or "").splitlines()
    split = watched(MASKED.format(change="\n".join(change), call=call), tmp_path)
    assert capsys.readouterr().out == before
    assert (diagnosis.traces, split.count("total")) == (8, 2)
    assert candidate.predicted_traces == 2
