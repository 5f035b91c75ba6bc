"""A statement that changes Python state in the body, where only a trace runs it, moves out to the calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from traceonce.facts import CauseCode
from traceonce.fix.candidate import Candidate, Change, Example, Recipe
from traceonce.fix.case import Case
from traceonce.fix.closures.beside_calls import moving_out
from traceonce.fix.source.edits import Edits
from traceonce.frameworks.tensorflow.recipes.variables import make_variable
from traceonce.frameworks.tensorflow.words import VARIABLE_EVERYWHERE
from traceonce.words.notes.common import CHANGED_AT_EACH_CALL

_TEMPLATES = (None, "tf.constant(value, tf.float32)", "tf.constant(value, tf.int32)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def propose(case: Case) -> Iterator[Candidate]:
    causes = [cause for cause in case.diagnosis.causes if cause.code is CauseCode.SIDE_EFFECT]
    paths = list(dict.fromkeys(cause.path for cause in causes))
    if not paths or case.diagnosis.function.library:
        return
    name = case.diagnosis.function.short_name
    for template, returning in (*((template, False) for template in _TEMPLATES), (None, True)):
        snippet = f"{name}(…)\n… {paths[0]} …  # here, next to each call, no longer in {name}"
        notes = (CHANGED_AT_EACH_CALL(names=paths),)
        change = moving_out(case, paths, template, returning=returning)
        codes = (CauseCode.SIDE_EFFECT,)
        yield Candidate("state_outside", "review", codes, change, None, snippet, notes, untraced=returning)
    if all(_NUMBER.fullmatch(cause.was) for cause in causes):
        for dtype in ("int32", "float32") if all("." not in cause.was for cause in causes) else ("float32",):
            snippet = "\n".join(f"{path} = tf.Variable(…, dtype=tf.{dtype}, trainable=False)" for path in paths)
            notes = (VARIABLE_EVERYWHERE(names=paths),)
            change = _as_variables(case, paths, dtype)
            yield Candidate("state_outside", "review", (CauseCode.SIDE_EFFECT,), change, None, snippet, notes)


def _as_variables(case: Case, paths: list[str], dtype: str) -> Change:
    def change(edits: Edits) -> None:
        for path in paths:
            make_variable(edits, case, path, dtype)

    return change


_LIST = Example(
    title="A list that collects losses",
    program="""\
import tensorflow as tf

losses = []
weight = tf.Variable(1.0)


@tf.function
def step(x):
    loss = (weight * x - 1.0) ** 2
    weight.assign_sub(0.1 * loss)
    losses.append(loss)
    return loss


for number in range(4):
    step(tf.constant(float(number)))
print(len(losses))
""",
    function="step",
    traces_before=1,
    repaired="""\
import tensorflow as tf

losses = []
weight = tf.Variable(1.0)


@tf.function
def step(x):
    loss = (weight * x - 1.0) ** 2
    weight.assign_sub(0.1 * loss)
    return loss


for number in range(4):
    loss = step(tf.constant(float(number)))
    losses.append(loss)
print(len(losses))
""",
    traces_after=1,
)

_COUNTER = Example(
    title="A counter that the body reads",
    program="""\
import tensorflow as tf


class Average:
    def __init__(self):
        self.count = 0
        self.total = tf.Variable(0.0)

    @tf.function
    def update(self, x):
        self.count += 1
        self.total.assign_add(x)
        return self.total / self.count


average = Average()
for number in range(4):
    value = average.update(tf.constant(float(number)))
    print(average.count, float(value))
""",
    function="Average.update",
    traces_before=1,
    repaired="""\
import tensorflow as tf


class Average:
    def __init__(self):
        self.count = 0
        self.total = tf.Variable(0.0)

    @tf.function
    def update(self, x, count):
        self.total.assign_add(x)
        return self.total / count


average = Average()
for number in range(4):
    average.count += 1
    value = average.update(tf.constant(float(number)), count=tf.constant(average.count, tf.float32))
    print(average.count, float(value))
""",
    traces_after=1,
)

RECIPE = Recipe(
    name="state_outside",
    title="Change state outside the function",
    what="Moves a statement that changes Python state (a list, a counter) from the body to each call, passes the "
    "values that the body reads, and returns those that the statement needs; or turns the state into a "
    "`tf.Variable`.",
    why="The Python code of a `tf.function` runs only during tracing. On calls served by a graph the list does "
    "not grow and the counter does not change, without a warning.",
    beware="Results change to what the source says. Calls added later need the same statement next to them.",
    propose=propose,
    examples=(_LIST, _COUNTER),
)
