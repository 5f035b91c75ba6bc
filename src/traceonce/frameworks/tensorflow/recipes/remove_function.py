"""Do without `tf.function`, where nearly every call is a trace: advice, since eager code runs its Python each time."""

from __future__ import annotations

from collections.abc import Iterator

from traceonce.facts import Diagnosis, Verdict
from traceonce.facts.event import package_path
from traceonce.fix.candidate import Candidate, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.signatures.call_code import arguments_of, name_of
from traceonce.frameworks.tensorflow.words import EAGER_INSTEAD, GRAPHS_HARDLY_REUSED

NEARLY_ALL = 0.9  # of the calls
ENOUGH = 4  # calls


def _is_traced_at_nearly_every_call(diagnosis: Diagnosis) -> bool:
    calls = diagnosis.calls
    return calls is not None and calls >= ENOUGH and diagnosis.traces >= NEARLY_ALL * calls


def _propose(case: Case) -> Iterator[Candidate]:
    diagnosis = case.diagnosis
    function = diagnosis.function
    name = name_of(function).rpartition(".")[2]
    of_no_use = function.library or diagnosis.jit_compile or not name.isidentifier() or function.name.endswith("]")
    if diagnosis.verdict is not Verdict.RETRACING or of_no_use or not _is_traced_at_nearly_every_call(diagnosis):
        return
    if diagnosis.lost_seconds <= 0:  # nothing was measured, so nothing can be told
        return
    place = f"  # {package_path(function.file)}:{function.line}, without @tf.function" if function.file else ""
    owner = ["self"] if "." in name_of(function) else []
    head = f"def {name}({', '.join([*owner, *arguments_of(case)])}):"
    lost = diagnosis.lost_seconds / max(diagnosis.retraces, 1)
    notes = (GRAPHS_HARDLY_REUSED(traces=diagnosis.traces, calls=diagnosis.calls or 0, lost=lost), EAGER_INSTEAD())
    snippet = f"{head}{place}"
    yield Candidate("remove_function", "advice", (), None, 0, snippet, notes, untraced=True)  # it treats no cause


RECIPE = Recipe(
    name="remove_function",
    title="Remove tf.function",
    what="Removes `tf.function` from a function that retraces on nearly every call.",
    why="A graph that serves a single call costs a trace and a first run, and stays in memory. Eager code costs "
    "neither.",
    beware="Python code in the body (prints, counters, lists) then runs on every call, and loops over tensors "
    "run in Python. Functions called by `Dataset.map` are traced anyway. Where you can, remove the cause "
    "instead.",
    propose=_propose,
    examples=(
        Example(
            title="A callback that differs on every call",
            function="apply",
            traces_before=6,
            traces_after=0,
            program='''\
import tensorflow as tf


@tf.function
def apply(x, transform):
    return transform(x)


for power in range(6):
    print(float(apply(tf.constant(2.0), lambda x: x**power)))
''',
            advice="def apply(x, transform):  # train.py:4, without @tf.function",
        ),
    ),
)  # fmt: skip
